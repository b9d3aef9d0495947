/** @import { StreamEvent, ToolBlock, ToolStatus } from "./events.js" */

/**
 * @typedef {object} TextPart
 * @property {"text"} type
 * @property {string} text
 */

/**
 * @typedef {object} ToolPart
 * @property {"tool"} type
 * @property {string} id - The block's.
 * @property {"held" | "block" | "lost"} stage - Held back; there; or its stream ended before it came.
 * @property {ToolStatus | null} status - The last news of it while it is held.
 * @property {ToolBlock[]} blocks - Its calls, once it is there: one for each call in the fence.
 */

/** @typedef {TextPart | ToolPart} Part */

/**
 * @typedef {object} Message
 * @property {Part[]} parts - What there is to show, in order.
 * @property {string} lastId - The id of the last event, for coming back.
 * @property {"running" | "done" | "failed" | "stopped" | "interrupted"} ending
 * @property {string | null} error - What the stream failed with, in words.
 */

/** @returns {Message} */
export function initial() {
  return { parts: [], lastId: "", ending: "running", error: null };
}

/**
 * The message after an event. What was given is not changed, and what did not change is the same object: good for React.
 *
 * An event that has been seen already, by its id, changes nothing.
 *
 * @param {Message} message
 * @param {StreamEvent} event
 * @returns {Message}
 */
export function reduce(message, event) {
  if (event.id && !later(event.id, message.lastId)) return message;
  const next = { ...message, lastId: event.id ?? message.lastId };
  switch (event.type) {
    case "text":
      next.parts = withText(message.parts, event.data);
      break;
    case "json-tool-status":
      next.parts = withStatus(message.parts, event.data);
      break;
    case "json-tool-block":
      next.parts = withBlock(message.parts, event.data);
      break;
    case "done":
      next.parts = message.parts.map(lost);
      next.ending = event.data.ending ?? "done";
      break;
    case "error":
      next.parts = message.parts.map(lost);
      next.ending = event.data.ending ?? "failed";
      next.error = event.data.message;
  }
  return next;
}

/**
 * @param {Part[]} parts
 * @param {string} text
 * @returns {Part[]}
 */
function withText(parts, text) {
  if (!text) return parts;
  const last = parts.at(-1);
  if (last?.type === "text") return [...parts.slice(0, -1), { type: "text", text: last.text + text }];
  return [...parts, { type: "text", text }];
}

/**
 * @param {Part[]} parts
 * @param {ToolStatus} status
 * @returns {Part[]}
 */
function withStatus(parts, status) {
  const at = parts.findIndex((part) => part.type === "tool" && part.id === status.id);
  if (status.status === "released") return at < 0 ? parts : parts.filter((_, index) => index !== at);
  if (at < 0) return [...parts, { type: "tool", id: status.id, stage: "held", status, blocks: [] }];
  return parts.map((part, index) => (index === at && part.type === "tool" && part.stage === "held" ? { ...part, status } : part));
}

/**
 * @param {Part[]} parts
 * @param {ToolBlock} block
 * @returns {Part[]}
 */
function withBlock(parts, block) {
  const at = parts.findIndex((part) => part.type === "tool" && part.id === block.id);
  if (at < 0) return [...parts, { type: "tool", id: block.id, stage: "block", status: null, blocks: [block] }];
  return parts.map((part, index) =>
    index === at && part.type === "tool" ? { ...part, stage: "block", blocks: [...part.blocks, block] } : part,
  );
}

/**
 * @param {Part} part
 * @returns {Part}
 */
function lost(part) {
  return part.type === "tool" && part.stage === "held" ? { ...part, stage: "lost" } : part;
}

/**
 * Whether an id (`milliseconds-number`) is behind another. Ids of another form are taken as they come.
 *
 * @param {string} id
 * @param {string} than
 */
function later(id, than) {
  const [one, other] = [id, than].map((text) => /^(\d+)-(\d+)$/.exec(text)?.slice(1).map(Number));
  if (!one || !other) return id !== than;
  const [ms = 0, number = 0] = one;
  const [thanMs = 0, thanNumber = 0] = other;
  return ms === thanMs ? number > thanNumber : ms > thanMs;
}
