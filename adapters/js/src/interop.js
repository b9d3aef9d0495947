/** @import { StreamEvent } from "./events.js" */

const NAMES = new Set(["json-tool-status", "json-tool-block"]);

/**
 * The event in a part or a chunk of the AI SDK: `data-json-tool-status`, `data-json-tool-block`, `text-delta`. Null for others.
 *
 * @param {{ type: string, data?: unknown, delta?: unknown }} part
 * @returns {StreamEvent | null}
 */
export function fromAiSdk(part) {
  if (part.type === "text-delta" && typeof part.delta === "string") return { type: "text", data: part.delta };
  return told(part.type.startsWith("data-") ? part.type.slice(5) : "", part.data);
}

/**
 * The event in an event of AG-UI: `CUSTOM` with our names, and `TEXT_MESSAGE_CONTENT`. Null for others.
 *
 * @param {{ type: string, name?: string, value?: unknown, delta?: unknown }} event
 * @returns {StreamEvent | null}
 */
export function fromAgUi(event) {
  if (event.type === "TEXT_MESSAGE_CONTENT" && typeof event.delta === "string") return { type: "text", data: event.delta };
  return event.type === "CUSTOM" ? told(event.name ?? "", event.value) : null;
}

/**
 * @param {string} name
 * @param {unknown} data
 * @returns {StreamEvent | null}
 */
function told(name, data) {
  return NAMES.has(name) && typeof data === "object" && data !== null ? /** @type {StreamEvent} */ ({ type: name, data }) : null;
}
