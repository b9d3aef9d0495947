import { Asides } from "./asides.js";
import { isFileCall, toCall } from "./calls.js";
import { closing, isObject, readJson } from "./json.js";
import { Lists, closes, headOf } from "./lines.js";
import { MOST_CALLS, MOST_COLUMNS } from "./marks.js";

/** @import { CallGuard, JsonToolCall } from "./calls.js" */
/** @import { ToolBlock } from "./events.js" */
/** @import { Fence } from "./lines.js" */

/**
 * @typedef {object} FoundBlock
 * @property {string} text - The block, its fences with it.
 * @property {string} body - What stands between them.
 * @property {number} start - Where it begins in the text.
 * @property {number} end - Where it ends.
 */

const LINE_END = /\r\n?|\n|$/g;
const BEHIND_BRACE = /[}\]][ \t]{0,8}(`{3,}|~{3,})[ \t]*$/;
const BEHIND_STRING = /[ \t\r\n]*[,:}\]]/y;
/** As much of a text is searched for its last bracket. */
const TAIL = 80;

/**
 * Reads the tool calls in text that was guarded: in the `content` of blocks that passed, in a message that was kept.
 *
 * It fixes nothing and guesses nothing. Either a block consists of calls, each of them whole and accepted by the guard, or it has no
 * call: the server decides about it.
 */
export class JsonToolParser {
  #guard;

  /** @param {{ guard?: CallGuard }} [options] - What a whole call is; the three file tools' by default. */
  constructor({ guard = isFileCall } = {}) {
    this.#guard = guard;
  }

  /**
   * Returns the fenced json blocks in a text. A block without an end is none, and neither is one in reasoning, in a result or in a turn
   * of somebody else that the model wrote: from a mark that begins a line to its closer, or to the end of the text. Behind a block whose
   * end is not certain, because a text of it may be open, there are none.
   *
   * @param {string} text
   * @returns {FoundBlock[]}
   */
  findJsonToolBlocks(text) {
    /** @type {FoundBlock[]} */
    const found = [];
    /** @type {{ fence: Fence, limit: number, start: number, body: number, glued: boolean } | null} */
    let open = null;
    let lists = new Lists();
    const asides = new Asides(text);
    let line = lineAt(text, 0);
    let before = 0; // where the line before ends
    for (let at = 0; at < text.length; ) {
      if (at > line.end || at === line.next) line = lineAt(text, at); // an aside may end in the middle of one
      const { end, next } = line;
      if (!open) {
        const head = headOf(text, at, end, lists.limit);
        const behind = asides.endOf(at, end, head);
        if (behind !== null) {
          lists = new Lists();
          at = behind; // what follows stands as at the beginning of a line
          continue;
        }
        lists.note(head, text.charAt(at));
        at = head.fence?.body || next;
        if (head.fence) open = { fence: head.fence, limit: lists.closer(head.indent), start: head.at, body: at, glued: false };
        before = at;
        continue;
      }
      const { fence, start, body: from } = open;
      let closed = closes(text, at, fence, open.limit) ? before : null;
      if (closed === null && fence.ours && !open.glued) {
        const behind = fenceBehindBrace(text, at, end, fence);
        if (behind !== null && isJson(text.slice(from, behind))) closed = behind;
        open.glued = behind !== null; // what holds such a fence is no JSON, nor is more of it: a line ends behind the fence
      }
      if (closed !== null) {
        const body = text.slice(from, Math.max(from, closed));
        if (fence.ours && fence.plain) found.push({ text: text.slice(start, end), body, start, end });
        if (fence.ours && !endsSurely(body)) break;
        open = null;
      }
      before = end;
      at = next;
    }
    return found;
  }

  /**
   * Returns the calls in a text. The same text gives the same ids.
   *
   * @param {string} text
   * @param {string} [prefix] - The beginning of the ids. Give each message its own: a call is run once by its id.
   * @returns {JsonToolCall[]}
   */
  parseJsonTools(text, prefix = "call") {
    const calls = this.findJsonToolBlocks(text).flatMap(({ body }) => this.#calls(body));
    return calls.map((call, index) => ({ ...call, id: `${prefix}-${index + 1}` }));
  }

  /**
   * Returns the call of a block event; null for one that may not be run.
   *
   * @param {ToolBlock} block
   * @returns {JsonToolCall | null}
   */
  parseBlock(block) {
    if (block?.executable !== true || typeof block.content !== "string") return null;
    if (typeof block.id !== "string" || !Number.isInteger(block.part)) return null; // the call would be taken for another
    const [call, ...more] = this.findJsonToolBlocks(block.content).flatMap(({ body }) => this.#calls(body));
    // There is one event for each call of a block, and `content` has that call.
    if (!call || more.length || call.tool !== block.tool) return null;
    return { ...call, id: `${block.id}.${block.part}` };
  }

  /**
   * @param {string} body
   * @returns {JsonToolCall[]}
   */
  #calls(body) {
    const value = readJson(body);
    const items = Array.isArray(value) ? value : [value];
    if (items.length > MOST_CALLS) return [];
    const calls = items.map((item) => toCall("", item, this.#guard));
    return calls.every((call) => call !== null) && !repeats(calls) ? calls : [];
  }
}

/**
 * Returns whether one of several calls says what another says, and perhaps more: one may have been begun, and written again.
 *
 * @param {JsonToolCall[]} calls
 */
function repeats(calls) {
  const said = calls.map(({ tool, args }) => new Map(Object.entries({ ...args, tool }).map(([key, value]) => [key, told(value)])));
  /** @type {(one: Map<string, string>, other: Map<string, string>) => boolean} */
  const within = (one, other) => [...one].every(([key, value]) => other.get(key) === value);
  return said.some((one, at) => said.slice(0, at).some((other) => within(one, other) || within(other, one)));
}

/**
 * Returns a value as text, whatever the order of its members; of a text without the blanks around it.
 *
 * @param {unknown} value
 * @returns {string}
 */
function told(value) {
  if (typeof value === "string") return value.trim();
  return JSON.stringify(value, (_, item) => (isObject(item) ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1))) : item));
}

/**
 * Returns where the last bracket of a line ends that has a fence behind it; null if it has none. It closes the block if the body up to
 * there is JSON. Behind what is none such a fence is text.
 *
 * @param {string} text
 * @param {number} at
 * @param {number} end
 * @param {Fence} fence
 * @returns {number | null}
 */
function fenceBehindBrace(text, at, end, fence) {
  const tail = text.slice(Math.max(at, end - TAIL), end);
  const found = BEHIND_BRACE.exec(tail);
  return found?.[1]?.startsWith(fence.char.repeat(fence.length)) ? end - tail.length + found.index + 1 : null;
}

/**
 * Returns whether a body ends at the fence behind it for every reader: it is JSON, or no text may be open there, and no aside.
 *
 * @param {string} body
 */
function endsSurely(body) {
  if (isJson(body)) return true;
  const asides = new Asides(body);
  for (let at = 0; at < body.length; ) {
    const { end, next } = lineAt(body, at);
    if (asides.endOf(at, end, headOf(body, at, end, MOST_COLUMNS)) !== null) return false;
    at = next;
  }
  const rest = withoutStrings(body);
  return /^[ \t\r\n]*$/.test(rest) || (!/["'`~]/.test(rest) && /[}\]][ \t\r\n,;]*$/.test(rest.slice(-TAIL)));
}

/**
 * Returns a body without its strings, up to the first one that does not end on its line and in front of what follows a string of JSON.
 *
 * @param {string} body
 */
function withoutStrings(body) {
  const rest = [];
  let at = 0;
  for (let quote = body.indexOf('"'); quote >= 0; quote = body.indexOf('"', at)) {
    const end = closing(body, quote + 1);
    BEHIND_STRING.lastIndex = end + 1;
    if (end < 0 || /[\r\n]/.test(body.slice(quote, end)) || !BEHIND_STRING.test(body)) break;
    rest.push(body.slice(at, quote));
    at = end + 1;
  }
  return rest.join("") + body.slice(at);
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns where the line ends that begins at a place, and where the next one begins.
 *
 * @param {string} text
 * @param {number} start
 * @returns {{ end: number, next: number }}
 */
function lineAt(text, start) {
  LINE_END.lastIndex = start;
  const { index: end = text.length, 0: lineEnd = "" } = LINE_END.exec(text) ?? {};
  return { end, next: end + lineEnd.length };
}
