import { isObject } from "./json.js";
import { Kept } from "./kept.js";
import { grown, plainOf } from "./preview.js";
import { checked, later } from "./read.js";
import { Vector } from "./vector.js";

/** @import { StreamEvent, ToolBlock, ToolResult, ToolStatus } from "./events.js" */

/**
 * @typedef {object} TextPart
 * @property {"text"} type
 * @property {string} text
 */

/**
 * @typedef {object} ToolPart
 * @property {"tool"} type
 * @property {string} id - The block's.
 * @property {"held" | "block" | "lost"} stage - `held` back; a `block` that came; or `lost`, because its stream, or the reading of it,
 *   ended first.
 * @property {ToolStatus | null} status - The last status of the block; null once all its calls came, or their stream ended.
 * @property {{ readonly toolType: string | null, readonly path: string | null } | null} lost - What the statuses of a `lost` block named of it.
 * @property {Readonly<Record<string, unknown>> | null} preview - What was sent of the arguments while the block is written. It is
 *   provisional, and null once the block came, with arguments of its own.
 * @property {readonly ToolBlock[]} blocks - The events of the block, one for each call in the fence; empty while it is held.
 * @property {readonly ToolResult[]} results - The results of its calls, as they came; empty where the server runs none.
 */

/**
 * @typedef {object} ErrorPart - Events that could not be read: one part for all of them, where the first one was.
 * @property {"error"} type
 * @property {string} message
 * @property {number} count
 */

/** @typedef {TextPart | ToolPart | ErrorPart} Part */

/**
 * @typedef {object} Message
 * @property {readonly Part[]} parts - The parts to show, in order.
 * @property {string} lastId - The id of the last event, from which to resume.
 * @property {"running" | "done" | "failed" | "stopped" | "interrupted" | "lost"} ending - `lost`: the reading ended before the stream did,
 *   in a hook or a `GuardedStream`. Reading on makes it `running` again.
 * @property {string | null} error - The message of the stream's error.
 */

/**
 * The internal state of a message. The array `parts` is made from it when it is first read, so the cost of an event does not grow with
 * the number of parts. A part that was removed leaves a part `gone` in its place, so that no other part moves.
 *
 * Each name of a part has a number, which all messages with one beginning share; `places` has where the part of each number stands in
 * this message, and `NOWHERE` for those that it does not have.
 *
 * @typedef {{ parts: Vector<Part | Gone>, numbers: Map<string, number>, places: Vector<number>, shown: { parts?: Part[] } }} Known
 */

/** @typedef {{ type: "gone" }} Gone */

/** @type {Gone} */
const GONE = { type: "gone" };

const NOWHERE = -1;

/** @type {Message["ending"]} */
const RUNNING = "running";

/**
 * Returns an empty message, before the first event.
 *
 * @returns {Message}
 */
export function initial() {
  return message(nothing(), { lastId: "", ending: "running", error: null });
}

/**
 * Returns the message after an event. The message before is not changed, and parts that did not change are the same objects, for React.
 *
 * An event that has been seen already, by its id, changes nothing, and neither does one after the end. An event that cannot be read
 * is one part of the message that says so.
 *
 * @param {Message} before
 * @param {StreamEvent} given
 * @returns {Message}
 */
export function reduce(before, given) {
  const event = checked(given);
  const ends = event.type === "done" || event.type === "error";
  if (!goesOn(before) || (event.id && !ends && !later(event.id, before.lastId))) return before;
  /** @type {Known} */
  const known = Kept.of(before) ?? rebuilt(before.parts);
  const next = { lastId: event.id || before.lastId, ending: RUNNING, error: before.error };
  switch (event.type) {
    case "text":
      return message(withText(known, event.data), next);
    case "json-tool-status":
      return message(withStatus(known, event.data), next);
    case "json-tool-block":
      return message(withBlock(known, event.data), next);
    case "json-tool-result":
      return message(withResult(known, event.data), next);
    case "malformed":
      return message(withError(known, event.data.message), next);
    case "done":
      return message(withLost(known), { ...next, ending: event.data.ending ?? "done" });
    case "error":
      return message(withLost(known), { ...next, ending: event.data.ending ?? "failed", error: event.data.message });
  }
}

const ENDINGS = new Set(["running", "done", "failed", "stopped", "interrupted", "lost"]);
const STAGES = new Set(["held", "block", "lost"]);

/**
 * Throws a TypeError for what is no message, kept as it was or stored as JSON.
 *
 * @param {unknown} given
 */
export function checkMessage(given) {
  if (isObject(given) && isMessage(given)) return;
  throw new TypeError("message is no message: give what `initial` or `reduce` returned, or the `message` of a snapshot, as it was or stored as JSON; null for none");
}

/** @param {Record<string, unknown>} given */
function isMessage({ parts, lastId, ending, error = null }) {
  const known = typeof lastId === "string" && typeof ending === "string" && ENDINGS.has(ending) && (error === null || typeof error === "string");
  return known && Array.isArray(parts) && parts.every((part) => isObject(part) && isPart(part));
}

/** @param {Record<string, unknown>} part */
function isPart({ type, text, id, stage, status, preview, lost, blocks, results, message, count }) {
  if (type === "text") return typeof text === "string";
  if (type === "error") return typeof message === "string" && typeof count === "number";
  if (type !== "tool" || typeof id !== "string" || typeof stage !== "string" || !STAGES.has(stage)) return false;
  const shows = areAll("json-tool-block", blocks) && areAll("json-tool-result", results) && areAll("json-tool-status", [status].filter((one) => one != null));
  return shows && [preview, lost].every((one) => one == null || isObject(one));
}

/**
 * Returns whether a value is a list of what events of this name have.
 *
 * @param {string} type
 * @param {unknown} items
 */
const areAll = (type, items) => Array.isArray(items) && items.every((data) => checked({ type, data }).type === type);

/**
 * Returns whether a message has no end of its stream: more of it may come.
 *
 * @param {Message} message
 */
export const goesOn = ({ ending }) => ending === "running" || ending === "lost";

/**
 * Returns a message whose reading ended before its stream did: what is held of it never came.
 *
 * @param {Message} before
 * @returns {Message}
 */
export function withoutEnd(before) {
  const { lastId, error } = before;
  return message(withLost(Kept.of(before) ?? rebuilt(before.parts)), { lastId, ending: "lost", error });
}

/**
 * Returns a message that is read on.
 *
 * @param {Message} before
 * @returns {Message}
 */
export function readOn(before) {
  const { lastId, error } = before;
  return message(Kept.of(before) ?? rebuilt(before.parts), { lastId, ending: RUNNING, error });
}

/**
 * @param {Known} known
 * @param {Pick<Message, "lastId" | "ending" | "error">} rest
 * @returns {Message}
 */
function message(known, rest) {
  const made = {
    get parts() {
      return (known.shown.parts ??= /** @type {Part[]} */ (known.parts.array.filter(({ type }) => type !== "gone")));
    },
    ...rest,
  };
  new Kept(made, known);
  return made;
}

/** @returns {Known} */
const nothing = () => ({ parts: new Vector(), numbers: new Map(), places: new Vector(), shown: {} });

/**
 * Returns the internal state of a message that was copied or stored.
 *
 * @param {readonly Part[]} parts
 * @returns {Known}
 */
function rebuilt(parts) {
  let known = nothing();
  for (const part of parts) known = put(known, known.parts.size, part);
  return known;
}

/** @param {ToolPart | ErrorPart} part */
const nameOf = (part) => (part.type === "error" ? "error" : `block ${part.id}`);

/**
 * @param {Known} known
 * @param {number} at
 * @param {Part} part
 * @returns {Known}
 */
function put(known, at, part) {
  const places = part.type === "text" ? known.places : placed(known, nameOf(part), at);
  return { ...known, parts: known.parts.with(at, part), places, shown: {} };
}

/**
 * Returns the places with that of a name changed.
 *
 * @param {Known} known
 * @param {string} name
 * @param {number} at
 */
function placed({ numbers, places }, name, at) {
  const number = numbers.get(name) ?? numbers.size;
  numbers.set(name, number);
  return places.get(number) === at ? places : places.with(number, at);
}

/**
 * Returns the index of a part; `NOWHERE` when there is none.
 *
 * @param {Known} known
 * @param {string} name
 */
function placeOf({ numbers, places }, name) {
  return places.get(numbers.get(name) ?? NOWHERE) ?? NOWHERE;
}

/**
 * @param {Known} known
 * @param {string} text
 * @returns {Known}
 */
function withText(known, text) {
  if (!text) return known;
  const at = known.parts.size - 1;
  const last = known.parts.get(at);
  if (last?.type === "text") return put(known, at, { type: "text", text: last.text + text });
  return put(known, at + 1, { type: "text", text });
}

/**
 * @param {Known} known
 * @param {ToolStatus} status
 * @returns {Known}
 */
function withStatus(known, status) {
  const at = placeOf(known, `block ${status.id}`);
  const part = known.parts.get(at);
  if (status.status === "released") return at < 0 ? known : without(known, at);
  if (part?.type === "tool" && part.stage === "block") {
    // Of a block with several calls the next one may be asked about when the first has come.
    return part.stage === "block" && awaits(listsOf(part).blocks) ? put(known, at, toolPart(part.id, "block", status, listsOf(part))) : known;
  }
  const before = part?.type === "tool" ? listsOf(part).preview : null;
  const preview = status.preview ? grown(before ?? {}, status.preview) : before;
  return put(known, at < 0 ? known.parts.size : at, toolPart(status.id, "held", status, { ...NONE, preview }));
}

/**
 * @param {Known} known
 * @param {ToolBlock} block
 * @returns {Known}
 */
function withBlock(known, block) {
  const at = placeOf(known, `block ${block.id}`);
  const part = known.parts.get(at);
  const { blocks: before, results } = part?.type === "tool" ? listsOf(part) : NONE;
  const blocks = before.with(before.size, block);
  const status = part?.type === "tool" && awaits(blocks) ? part.status : null;
  return put(known, at < 0 ? known.parts.size : at, toolPart(block.id, "block", status, { blocks, results, preview: null }));
}

/**
 * Returns whether a fence has calls that have not come.
 *
 * @param {Vector<ToolBlock>} blocks
 */
const awaits = (blocks) => blocks.size < (blocks.get(blocks.size - 1)?.parts ?? 1);

/**
 * Returns the state with a result at its block. One of a block that the message does not have is left out.
 *
 * @param {Known} known
 * @param {ToolResult} result
 * @returns {Known}
 */
function withResult(known, result) {
  const at = placeOf(known, `block ${result.id}`);
  const part = known.parts.get(at);
  if (part?.type !== "tool") return known;
  const lists = listsOf(part);
  return put(known, at, toolPart(part.id, part.stage, part.status, { ...lists, results: lists.results.with(lists.results.size, result) }));
}

/**
 * @param {Known} known
 * @param {string} message
 * @returns {Known}
 */
function withError(known, message) {
  const at = placeOf(known, "error");
  const part = known.parts.get(at);
  if (part?.type === "error") return put(known, at, { ...part, count: part.count + 1 });
  return put(known, known.parts.size, { type: "error", message, count: 1 });
}

/**
 * Returns the state without the part at an index. At the end the place is removed too, so that text continues the text before it.
 *
 * @param {Known} known
 * @param {number} at
 * @returns {Known}
 */
function without(known, at) {
  let { parts } = known;
  const part = parts.get(at);
  const places = part?.type === "tool" ? placed(known, nameOf(part), NOWHERE) : known.places;
  if (at < parts.size - 1) parts = parts.with(at, GONE);
  else do parts = parts.withoutLast();
  while (parts.get(parts.size - 1)?.type === "gone");
  return { ...known, parts, places, shown: {} };
}

/**
 * @param {Known} known
 * @returns {Known}
 */
function withLost(known) {
  let after = known;
  known.parts.array.forEach((part, at) => {
    if (part.type !== "tool") return;
    if (part.stage === "held") {
      const { toolType = null, path = null } = part.status ?? {};
      after = put(after, at, toolPart(part.id, "lost", null, listsOf(part), { toolType, path }));
    } else if (part.status) after = put(after, at, toolPart(part.id, part.stage, null, listsOf(part)));
  });
  return after;
}

/**
 * What grows in a part, at no cost of its length. The preview is plain, or what `grown` returned.
 *
 * @typedef {{ blocks: Vector<ToolBlock>, results: Vector<ToolResult>, preview: unknown }} Lists
 */

/** @type {Lists} */
const NONE = { blocks: new Vector(), results: new Vector(), preview: null };

/**
 * @param {string} id
 * @param {ToolPart["stage"]} stage
 * @param {ToolStatus | null} status
 * @param {Lists} lists
 * @param {ToolPart["lost"]} lost
 * @returns {ToolPart}
 */
function toolPart(id, stage, status, lists, lost = null) {
  /** @type {ToolPart} */
  const part = {
    type: "tool",
    id,
    stage,
    status,
    lost,
    get preview() {
      return /** @type {ToolPart["preview"]} */ (plainOf(lists.preview));
    },
    get blocks() {
      return lists.blocks.array;
    },
    get results() {
      return lists.results.array;
    },
  };
  new Kept(part, lists);
  return part;
}

/**
 * Returns the lists of a part, also of one that was copied or stored.
 *
 * @param {ToolPart} part
 * @returns {Lists}
 */
function listsOf(part) {
  return Kept.of(part) ?? { blocks: vectorOf(part.blocks), results: vectorOf(part.results), preview: part.preview };
}

/**
 * @template Item
 * @param {readonly Item[]} items
 * @returns {Vector<Item>}
 */
function vectorOf(items) {
  /** @type {Vector<Item>} */
  let made = new Vector();
  for (const item of items) made = made.with(made.size, item);
  return made;
}
