import { ASIDES, HEADERS, LONGEST_SUFFIX, MOST_BLANKS, ONE_TOKEN, SHAPES, SPECIAL, WORD } from "./marks.js";

/** @import { Head } from "./lines.js" */

/** What a model does not say in its own turn, or only considers: reasoning, results of tools, and turns of others. A call in it is none. */

const BLANKS = `[ \\t]{0,${MOST_BLANKS}}`;
const escaped = (/** @type {string} */ mark) => mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
// There may be blanks before the bracket that ends a mark and before the second token in it; and a suffix behind the name of a tag.
const blanks = (/** @type {string} */ mark) => escaped(mark).replace(/(?<=[a-z])<|>$/g, (bracket) => BLANKS + bracket);
const suffixed = (/** @type {string} */ tag) => `${escaped(tag.slice(0, -1))}(?::[${WORD}.-]{1,${LONGEST_SUFFIX}})?${BLANKS}>`;
const spaced = (/** @type {string} */ mark) => (/^<\w+>$/.test(mark) ? suffixed(mark) : blanks(mark));
const bared = (/** @type {string} */ mark) => mark.replace(/[ \t]+/g, "");
// Behind the header of a message a line begins: it is an aside that ends at once.
const CLOSERS = new Map([...ASIDES, ...HEADERS.map((header) => /** @type {const} */ ([header, [""]]))].map(([opener, closers]) => [bared(opener), closers]));
const MARKS = [...ASIDES.keys(), ...HEADERS].sort((one, other) => other.length - one.length).map(spaced);
const MARK = `(?:\\*\\*)?(?<mark>${MARKS.join("|")}|<(?:${SHAPES.join("|")}))`;
const OPENER = new RegExp(MARK, "iuy");
// In the middle of a line: behind a special token; and one that is a token itself at the end of the line.
const GLUED = new RegExp(`${SPECIAL}${BLANKS}${MARK}|(?<last>${ONE_TOKEN.map(escaped).join("|")})${BLANKS}$`, "giu");

// Openers made of words, which count as the first thing in a reply alone, and their closers.
const OF_REPLY = /Here(?: is|['\u2019]s) my thought process:|\/think(?=(?: {0,4}|\t)[\r\n])/iuy;
const RESPONSE = /[\r\n][ \t]*(?:\*\*)?Here(?: is|['\u2019]s) my response:/giu;
const ASSISTANT = /<\|im_start\|>assistant/giu;

/**
 * Returns where an aside ends that begins on the line at this place of a text: the end of the text if it is never closed. Null if
 * none begins there.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} end - Where the line ends.
 * @param {Head} head - How it begins.
 * @returns {number | null}
 */
export function endOfAside(text, start, end, head) {
  OF_REPLY.lastIndex = start;
  if (OF_REPLY.exec(text) && /[^\r\n]/.exec(text)?.index === start) return endAt(text[start] === "/" ? ASSISTANT : RESPONSE, text, OF_REPLY.lastIndex);
  if (head.fence) return null;
  OPENER.lastIndex = head.at;
  const bold = head.marker > 0 && text[head.at] === "*"; // there it is none
  const found = head.deep || bold ? null : OPENER.exec(text);
  if (found) return endAt(closerOf(found.groups?.mark ?? ""), text, OPENER.lastIndex);
  const closer = leftOpen(text.slice(start, end));
  return closer && endAt(closer, text, end);
}

/**
 * Returns the closer of the aside that opens in the middle of a line, and is open where the line ends; null if there is none.
 *
 * @param {string} line
 * @returns {RegExp | null}
 */
function leftOpen(line) {
  if (!line.includes("<")) return null;
  GLUED.lastIndex = 0;
  for (let found = GLUED.exec(line); found; found = GLUED.exec(line)) {
    // With an odd number of runs of backticks behind it, it stands in inline code.
    const runs = line.slice(GLUED.lastIndex).match(/`+/g) ?? [];
    if (runs.filter((run) => run.length < 3).length % 2) continue;
    const closer = closerOf(found.groups?.mark ?? found.groups?.last ?? "");
    closer.lastIndex = GLUED.lastIndex;
    const closed = closer.exec(line);
    if (!closed) return closer;
    GLUED.lastIndex = closed.index;
  }
  return null;
}

/**
 * @param {RegExp} closer
 * @param {string} text
 * @param {number} from
 */
function endAt(closer, text, from) {
  closer.lastIndex = from;
  return closer.exec(text) ? closer.lastIndex : text.length;
}

/** @param {string} mark */
function closerOf(mark) {
  const opener = mark.toLowerCase();
  const plain = opener.replace(/[ \t]+[^>]*=[^>]*(?=>$)/, ""); // without its attributes
  const bare = bared(CLOSERS.has(bared(opener)) ? opener : plain);
  const turned = /^<[|\uff5c]/.test(bare) ? bare.replace(/(?<![a-z])(?:begin|start)(?![a-z])/, "end") : `</${bare.slice(1)}`;
  return new RegExp((CLOSERS.get(bare) ?? [turned]).map(blanks).join("|"), "giu");
}
