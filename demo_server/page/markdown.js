/**
 * Markdown while it streams: headings, lists, code, bold and italic; all else is text, links and HTML too.
 *
 * Rule 1: every character of the source stands in the nodes, in order; marks that a reader need not see are hidden by style alone.
 * Rule 2: a line is final when the next one has begun. Only the last line is made anew.
 */

import { element } from "./dom.js";

export const FENCE = /^ {0,3}(```+|~~~+)(.*)$/;
const LINE = /^(#{1,6} |> ?|[ \t]*(?:[-*+]|\d{1,9}[.)]) )/;
const INLINE = /(`+)(?!`)([^\n]*?[^`\n])\1(?!`)|\*\*(?=\S)([^\n]*?\S)\*\*|\*(?=[^\s*])([^*\n]*[^\s*])\*/g;
const CODE = /(\/\/[^\n]*|#[^\n{]*$)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`)|\b(\d[\w.]*)\b|\b(const|let|var|function|return|if|else|for|while|import|export|from|class|def|async|await|with|as|in|new|try|except|catch|raise|throw|true|false|null|None|True|False)\b/g;

const hidden = (mark) => element("span", { class: "md-mark" }, mark);
const NAMES = ["comment", "string", "number", "keyword"];

export class Markdown {
  constructor() {
    this.root = element("div", { class: "prose" });
    this.text = "";
    this.done = 0; // characters in final lines
    this.fence = null;
    this.last = [];
  }

  /** Show a text; one that begins with the text before keeps its nodes. */
  show(text) {
    if (text === this.text) return;
    if (!text.startsWith(this.text)) {
      this.root.replaceChildren();
      Object.assign(this, { done: 0, fence: null, last: [] });
    }
    this.text = text;
    for (const node of this.last) node.remove();
    for (let end = text.indexOf("\n", this.done); end >= 0; end = text.indexOf("\n", this.done)) {
      this.root.append(...this.line(text.slice(this.done, end + 1), true));
      this.done = end + 1;
    }
    this.last = this.done < text.length ? this.line(text.slice(this.done), false) : [];
    this.root.append(...this.last);
  }

  /** The nodes of a line. One that is not final changes nothing of what stands behind it. */
  line(source, final) {
    const text = source.replace(/\n$/, "");
    const found = FENCE.exec(text);
    if (this.fence) {
      const closes = found && !found[2].trim() && found[1].startsWith(this.fence);
      if (closes && final) this.fence = null;
      return closes ? [hidden(source)] : [element("code", { class: "md-block" }, ...coloured(source))];
    }
    if (found && final) this.fence = found[1];
    if (found) return [hidden(source)];
    const mark = LINE.exec(text)?.[0] ?? "";
    const rest = inline(text.slice(mark.length));
    const tail = source.slice(text.length);
    if (mark.startsWith("#")) return [element("strong", { class: "md-heading" }, hidden(mark), ...rest), tail].map(asNode);
    if (/[-*+] $/.test(mark)) return [mark.slice(0, -2), element("span", { class: "md-bullet" }, hidden(mark.slice(-2))), ...rest, tail].map(asNode);
    return [mark, ...rest, tail].map(asNode);
  }
}

const asNode = (part) => (typeof part === "string" ? document.createTextNode(part) : part);

/** A longer line stays plain: the patterns look for the end of each mark, and a model may open thousands. */
const LONGEST = 2_000;

function inline(text) {
  if (text.length > LONGEST) return [text];
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    const [all, ticks, code, bold, italic] = found;
    nodes.push(text.slice(at, found.index));
    const mark = ticks ?? (bold !== undefined ? "**" : "*");
    const name = ticks ? "code" : bold !== undefined ? "strong" : "em";
    nodes.push(element(name, {}, hidden(mark), code ?? bold ?? italic, hidden(mark)));
    at = found.index + all.length;
  }
  return [...nodes, text.slice(at)];
}

/** A line of code as text and spans; what each word is, is guessed from its look alone. */
export function coloured(text) {
  if (text.length > LONGEST) return [text];
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(CODE)) {
    nodes.push(text.slice(at, found.index), element("span", { class: `code-${NAMES[found.slice(1).findIndex((one) => one !== undefined)]}` }, found[0]));
    at = found.index + found[0].length;
  }
  return [...nodes, text.slice(at)];
}
