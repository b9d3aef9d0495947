import { ASIDES, LONGEST_SUFFIX, MOST_BLANKS, SHAPES } from "./marks.js";

/** What a model does not say in its own turn, or only considers: reasoning, results of tools, and turns of others. A call in it is none. */

const BLANKS = `[ \\t]{0,${MOST_BLANKS}}`;
const escaped = (/** @type {string} */ mark) => mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
// There may be blanks before the bracket that ends a mark and before the second token in it; and a suffix behind the name of a tag.
const blanks = (/** @type {string} */ mark) => escaped(mark).replace(/(?<=[a-z])<|>$/g, (bracket) => BLANKS + bracket);
const suffixed = (/** @type {string} */ tag) => `${escaped(tag.slice(0, -1))}(?::[\\w.-]{1,${LONGEST_SUFFIX}})?${BLANKS}>`;
const spaced = (/** @type {string} */ mark) => (/^<\w+>$/.test(mark) ? suffixed(mark) : blanks(mark));
const bared = (/** @type {string} */ mark) => mark.replace(/[ \t]+/g, "");
const MARKS = [...ASIDES.keys()].sort((one, other) => other.length - one.length).map(spaced);
const OPENER = new RegExp(`(?:\\*\\*)?(?<mark>${MARKS.join("|")}|<(?:${SHAPES.join("|")}))`, "iy");
const CLOSERS = new Map([...ASIDES].map(([opener, closers]) => [bared(opener), closers]));
// Where a fence could stand, also behind the marker of a list.
const BEFORE = /(?: {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+)* {0,3}/y;

// Openers made of words, which count as the first thing in a reply alone, and their closers.
const OF_REPLY = /Here(?: is|['\u2019]s) my thought process:|\/think(?=(?: {0,4}|\t)[\r\n])/iy;
const RESPONSE = /[\r\n][ \t]*(?:\*\*)?Here(?: is|['\u2019]s) my response:/gi;
const ASSISTANT = /<\|im_start\|>assistant/gi;

/**
 * Returns where an aside ends that begins on the line at this place of a text: the end of the text if it is never closed. Null if
 * none begins there.
 *
 * @param {string} text
 * @param {number} at
 * @returns {number | null}
 */
export function endOfAside(text, at) {
  OF_REPLY.lastIndex = at;
  if (OF_REPLY.exec(text) && /\S/.exec(text)?.index === at) {
    const behind = text[at] === "/" ? ASSISTANT : RESPONSE;
    behind.lastIndex = OF_REPLY.lastIndex;
    return behind.exec(text) ? behind.lastIndex : text.length;
  }
  BEFORE.lastIndex = at;
  OPENER.lastIndex = at + (BEFORE.exec(text)?.[0].length ?? 0);
  const found = OPENER.exec(text);
  if (!found) return null;
  const closer = closerOf((found.groups?.mark ?? "").toLowerCase());
  closer.lastIndex = OPENER.lastIndex;
  return closer.exec(text) ? closer.lastIndex : text.length;
}

/** @param {string} opener */
function closerOf(opener) {
  const plain = opener.replace(/[ \t]+[^>]*=[^>]*(?=>$)/, ""); // without its attributes
  const bare = bared(CLOSERS.has(bared(opener)) ? opener : plain);
  const turned = /^<[|\uff5c]/.test(bare) ? bare.replace(/(?<![a-z])(?:begin|start)(?![a-z])/, "end") : `</${bare.slice(1)}`;
  return new RegExp((CLOSERS.get(bare) ?? [turned]).map(blanks).join("|"), "gi");
}
