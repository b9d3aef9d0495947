/** @import { StreamEvent } from "./events.js" */

/**
 * The event that a name and a line of JSON stand for.
 *
 * @param {string} type
 * @param {string} data
 * @param {string} [id]
 * @returns {StreamEvent}
 */
export function read(type, data, id) {
  return /** @type {StreamEvent} */ ({ type, data: JSON.parse(data), ...(id ? { id } : {}) });
}
