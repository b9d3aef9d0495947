/** @import { Message } from "./state.js" */

/**
 * Returns a function that gives a kept message to the source with which it came first, and null to any other: to that it would be the
 * text of another stream, and its `lastId` a place in it.
 */
export function belonging() {
  /** @type {unknown} */
  let owner;
  /** @type {Message | null | undefined} */
  let known;
  return (/** @type {unknown} */ source, /** @type {Message | null | undefined} */ message) => {
    if (message !== known) [owner, known] = [source, message];
    return source === owner ? (known ?? null) : null;
  };
}
