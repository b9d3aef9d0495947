import { MOST_COLUMNS, MOST_FENCE, MOST_INDENT, MOST_INFO } from "./marks.js";

/** How lines begin, as the guard reads it: behind blanks and the markers of lists there may be a fence, or the opener of an aside. */

/**
 * @typedef {object} Fence
 * @property {string} char - A backtick or a tilde.
 * @property {number} length
 * @property {boolean} ours - Whether its language is json.
 * @property {boolean} plain - Whether nothing else stands in its opener.
 * @property {number} body - Where JSON begins on its line; 0 where none does.
 */

/**
 * @typedef {object} Head
 * @property {number} at - Where the text of the line begins.
 * @property {number} column - The column of its first character that is no blank.
 * @property {number} indent - The column of its text.
 * @property {number} marker - Where the content of a list item begins; 0 on other lines.
 * @property {boolean} blank
 * @property {boolean} deep - Whether its text is indented too far for a fence.
 * @property {Fence | null} fence - The fence that opens there.
 */

const TAB = 4;
const BLANKS = /[ \t]*/y;
const MARKER = /(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\r\n]|$)/y;
const RUN = /`{3,}|~{3,}/y;
const CLOSER = /[ \t]*(`{3,}|~{3,})[ \t]*(?=[\r\n]|$)/y;
const JSON_INFO = /^[ \t]*json(?![^ \t`{[])[ \t]*/i;

/**
 * Returns the head of the line between two places of a text.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @param {number} limit - The deepest column of a fence.
 * @returns {Head}
 */
export function headOf(text, start, end, limit) {
  let [at, indent] = behindBlanks(text, start, 0);
  const column = indent;
  let marker = 0;
  let found;
  while (indent <= limit && (found = matched(MARKER, text, at))) {
    const behind = indent + found.length;
    [at, indent] = behindBlanks(text, at + found.length, behind);
    marker = at < end && indent - behind <= TAB ? indent : behind + 1;
    limit = MOST_COLUMNS;
  }
  const [blank, deep] = [at >= end, indent > limit];
  return { at, column, indent, marker, blank, deep, fence: blank || deep ? null : fenceAt(text, at, end) };
}

/**
 * Returns the fence that opens at a place in a line. A run of backticks with another one behind it is inline code, and no fence.
 *
 * @param {string} text
 * @param {number} at
 * @param {number} end
 * @returns {Fence | null}
 */
function fenceAt(text, at, end) {
  const run = matched(RUN, text, at);
  if (!run) return null;
  const info = text.slice(at + run.length, end);
  const [json = ""] = run.length <= MOST_FENCE ? (JSON_INFO.exec(info.slice(0, MOST_INFO + 1)) ?? []) : [];
  const fence = { char: run.charAt(0), length: run.length, ours: json !== "" && json.length <= MOST_INFO, plain: json.length === info.length, body: 0 };
  if (fence.ours && /[{[]/.test(info.charAt(json.length))) return { ...fence, plain: true, body: at + run.length + json.length };
  if (fence.char === "`" && info.includes("`")) return null;
  return { ...fence, ours: fence.ours && info.length <= MOST_INFO };
}

/**
 * Returns whether the line at this place closes a fence.
 *
 * @param {string} text
 * @param {number} start
 * @param {Pick<Fence, "char" | "length">} fence
 * @param {number} limit - The deepest column of the closer.
 */
export function closes(text, start, fence, limit) {
  CLOSER.lastIndex = start;
  const run = CLOSER.exec(text)?.[1];
  return run !== undefined && run.startsWith(fence.char.repeat(fence.length)) && behindBlanks(text, start, 0)[1] <= limit;
}

/** Whether a list is open where a line begins: there a fence may stand deeper. Only the outermost item counts. */
export class Lists {
  #column = 0; // where the content of the item begins; 0 outside lists
  #paragraph = false; // whether the line before was text that this one may continue

  get limit() {
    return this.#column ? MOST_COLUMNS : MOST_INDENT;
  }

  /**
   * Returns the deepest column of the closer of a fence that opens at this one.
   *
   * @param {number} indent
   */
  closer(indent) {
    return this.#column ? indent + MOST_INDENT : MOST_INDENT;
  }

  /**
   * Notes a line outside of fences.
   *
   * @param {Head} head
   * @param {string} first - The first character of the line.
   */
  note({ column, marker, blank, fence }, first) {
    const breaks = first === "#" || first === ">";
    if (marker) {
      if (!this.#column || column < this.#column) this.#column = marker;
    } else if (!blank && (breaks || (column < this.#column && (fence || !this.#paragraph)))) {
      this.#column = 0;
    }
    this.#paragraph = blank ? marker > 0 : !fence && !breaks;
  }
}

/**
 * Returns the place behind the blanks at a place, and its column. A tab reaches to the next multiple of four columns.
 *
 * @param {string} text
 * @param {number} at
 * @param {number} column - The column of that place.
 * @returns {[number, number]}
 */
function behindBlanks(text, at, column) {
  for (const blank of matched(BLANKS, text, at)) {
    column += blank === "\t" ? TAB - (column % TAB) : 1;
    at++;
  }
  return [at, column];
}

/**
 * Returns what a sticky pattern matches at a place; an empty text if that is nothing.
 *
 * @param {RegExp} pattern
 * @param {string} text
 * @param {number} at
 */
function matched(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
