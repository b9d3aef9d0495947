import { NAMES, checked } from "./read.js";

/** @import { StreamEvent } from "./events.js" */

/**
 * Returns the event in a part of the AI SDK: `data-json-tool-status`, `data-json-tool-block` and `data-json-tool-result`, and its `text-delta`. Null for others.
 *
 * @param {{ type: string, data?: unknown, delta?: unknown }} part
 * @returns {StreamEvent | null}
 */
export function fromAiSdk(part) {
  const { type, data, delta } = part ?? {};
  if (type === "text-delta") return checked({ type: "text", data: delta });
  return typeof type === "string" && type.startsWith("data-") ? eventOf(type.slice(5), data) : null;
}

/**
 * Returns the event in an event of AG-UI: `CUSTOM` with our names, and `TEXT_MESSAGE_CONTENT`. Null for others.
 *
 * @param {{ type: string, name?: string, value?: unknown, delta?: unknown }} event
 * @returns {StreamEvent | null}
 */
export function fromAgUi(event) {
  const { type, name, value, delta } = event ?? {};
  if (type === "TEXT_MESSAGE_CONTENT") return checked({ type: "text", data: delta });
  return type === "CUSTOM" ? eventOf(name, value) : null;
}

/**
 * @param {unknown} name
 * @param {unknown} data
 * @returns {StreamEvent | null}
 */
function eventOf(name, data) {
  return typeof name === "string" && name.startsWith("json-tool-") && NAMES.has(name) ? checked({ type: name, data }) : null;
}
