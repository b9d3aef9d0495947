import { endOfAside } from "./asides.js";
import { isFileCall, toCall } from "./calls.js";
import { readJson } from "./json.js";

/** @import { CallGuard, JsonToolCall } from "./calls.js" */
/** @import { ToolBlock } from "./events.js" */

/**
 * @typedef {object} FoundBlock
 * @property {string} text - The block, its fences with it.
 * @property {string} body - What stands between them.
 * @property {number} start - Where it begins in the text.
 * @property {number} end - Where it ends.
 */

// A run of backticks with another one behind it on its line is inline code, and no fence.
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/s;
const BLANK = /^[ \t]*$/;
const OURS = /^[ \t]*json[ \t]*$/;
const LINE_END = /\r\n?|\n/g;

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
   * of somebody else that the model wrote: from a mark that begins a line to its closer, or to the end of the text.
   *
   * @param {string} text
   * @returns {FoundBlock[]}
   */
  findJsonToolBlocks(text) {
    /** @type {FoundBlock[]} */
    const found = [];
    /** @type {{ fence: string, start: number, body: number, ours: boolean } | null} */
    let open = null;
    let before = 0;
    let aside = 0; // where the last one ends; what follows stands as at the beginning of a line
    for (const { start, end, next } of lines(text)) {
      for (let at = Math.max(start, aside); !open && at >= start && at < next; at = aside) {
        const behind = endOfAside(text, at);
        if (behind === null) break;
        aside = behind;
      }
      const from = Math.max(start, aside);
      if (from >= next) continue;
      const [, fence, info = ""] = FENCE.exec(text.slice(from, end)) ?? [];
      if (!open) {
        if (fence) open = { fence, start: from, body: next, ours: OURS.test(info) };
      } else if (fence && fence[0] === open.fence[0] && fence.length >= open.fence.length && BLANK.test(info)) {
        if (open.ours) {
          const body = text.slice(open.body, Math.max(open.body, before));
          found.push({ text: text.slice(open.start, end), body, start: open.start, end });
        }
        open = null;
      }
      before = end;
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
    const calls = (Array.isArray(value) ? value : [value]).map((item) => toCall("", item, this.#guard));
    return calls.every((call) => call !== null) ? calls : [];
  }
}

/**
 * @param {string} text
 * @returns {Generator<{ start: number, end: number, next: number }>}
 */
function* lines(text) {
  let start = 0;
  for (const found of text.matchAll(LINE_END)) {
    const next = found.index + found[0].length;
    yield { start, end: found.index, next };
    start = next;
  }
  if (start < text.length) yield { start, end: text.length, next: text.length };
}
