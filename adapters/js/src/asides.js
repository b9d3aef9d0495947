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

/** The asides of a text. What they need to know of all of it is found once, however many there are. */
export class Asides {
  #text;
  /** Where its first character stands that ends no line. @type {number | undefined} */
  #first;
  /** The pattern of the closers of each mark. @type {Map<string, RegExp>} */
  #closers = new Map();

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  /**
   * Returns where an aside ends that begins on the line at this place: the end of the text if it is never closed. Null if none begins
   * there.
   *
   * @param {number} start
   * @param {number} end - Where the line ends.
   * @param {Head} head - How it begins.
   * @returns {number | null}
   */
  endOf(start, end, head) {
    const text = this.#text;
    OF_REPLY.lastIndex = start;
    if (OF_REPLY.test(text) && (this.#first ??= text.search(/[^\r\n]/)) === start)
      return this.#behind(text[start] === "/" ? ASSISTANT : RESPONSE, OF_REPLY.lastIndex);
    if (head.fence) return null;
    OPENER.lastIndex = head.at;
    const bold = head.marker > 0 && text[head.at] === "*"; // there it is none
    const found = head.deep || bold ? null : OPENER.exec(text);
    if (found) return this.#behind(this.#closerOf(found.groups?.mark ?? ""), OPENER.lastIndex);
    const closer = this.#leftOpen(text.slice(start, end));
    return closer && this.#behind(closer, end);
  }

  /**
   * Returns the closer of the aside that opens in the middle of a line, and is open where the line ends; null if there is none.
   *
   * @param {string} line
   * @returns {RegExp | null}
   */
  #leftOpen(line) {
    if (!line.includes("<")) return null;
    /** Where the short runs of backticks stand: those that have not been passed. @type {number[] | undefined} */
    let runs;
    let passed = 0;
    GLUED.lastIndex = 0;
    for (let found = GLUED.exec(line); found; found = GLUED.exec(line)) {
      runs ??= Array.from(line.matchAll(/`+/g)).flatMap(({ 0: run, index }) => (run.length < 3 ? index : []));
      while (passed < runs.length && Number(runs[passed]) < GLUED.lastIndex) passed++;
      // With an odd number of them behind it, it stands in inline code.
      if ((runs.length - passed) % 2) continue;
      const closer = this.#closerOf(found.groups?.mark ?? found.groups?.last ?? "");
      closer.lastIndex = GLUED.lastIndex;
      const closed = closer.exec(line);
      if (!closed) return closer;
      GLUED.lastIndex = closed.index;
    }
    return null;
  }

  /**
   * @param {RegExp} closer
   * @param {number} from
   */
  #behind(closer, from) {
    closer.lastIndex = from;
    return closer.test(this.#text) ? closer.lastIndex : this.#text.length;
  }

  /** @param {string} mark */
  #closerOf(mark) {
    let closer = this.#closers.get(mark);
    if (!closer) this.#closers.set(mark, (closer = closerOf(mark)));
    return closer;
  }
}

/** @param {string} mark */
function closerOf(mark) {
  const opener = mark.toLowerCase();
  const plain = opener.replace(/[ \t]+[^>]*=[^>]*(?=>$)/, ""); // without its attributes
  const bare = bared(CLOSERS.has(bared(opener)) ? opener : plain);
  const turned = /^<[|\uff5c]/.test(bare) ? bare.replace(/(?<![a-z])(?:begin|start)(?![a-z])/, "end") : `</${bare.slice(1)}`;
  return new RegExp((CLOSERS.get(bare) ?? [turned]).map(blanks).join("|"), "giu");
}
