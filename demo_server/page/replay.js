/** A trial at one of its deltas: what the model had written, what a naive client makes of it, and what the guard had passed on. */

import { byId, element, trimmed } from "./dom.js";
import { FENCE } from "./markdown.js";
import { naive } from "./naive.js";
import { WORDS, verdictOf } from "./verdict.js";

const BLOCK = "json-tool-block";
const NATIVE = "native call";

/** The words of a part of the change that fixes made, for those who do not see its colour. */
const CHANGED = { "-": ["del", "removed"], "+": ["ins", "added"] };

export class Replay {
  /** @param {object} result the server's answer: deltas, and items with how many deltas had come by each */
  constructor(result) {
    this.result = result;
    this.last = result.deltas.length + 1; // the end of the stream is a step of its own
    this.ends = [0];
    for (const delta of result.deltas) this.ends.push(this.ends.at(-1) + delta.length);
    this.raw = result.deltas.join("");
    this.nodes = new Map();
    this.marks = placed(result.items, this.raw);
  }

  show(at) {
    const over = at >= this.last;
    const end = this.ends[Math.min(at, this.last - 1)];
    const came = this.result.items.filter(({ delta }) => delta <= at);
    this.showWritten(at, end);
    this.showNaive(this.raw.slice(0, end), over, came);
    this.showGuarded(came, end, over);
  }

  /** The text so far with its newest delta marked, the text to come, and the issues that are known by now at their places. */
  showWritten(at, end) {
    const from = this.ends[Math.max(Math.min(at, this.last) - 1, 0)];
    const nodes = [];
    const known = this.marks.filter(({ delta }) => delta <= at);
    const cuts = [...new Set([0, from, end, ...known.flatMap((mark) => [mark.from, mark.to])])].filter((cut) => cut <= end).sort((a, b) => a - b);
    for (const [index, cut] of cuts.entries()) {
      const piece = this.raw.slice(cut, cuts[index + 1] ?? end);
      if (!piece) continue;
      const mark = known.find((one) => one.from <= cut && cut < one.to);
      const node = cut >= from && at > 0 && at < this.last ? element("span", { class: "newest" }, piece) : document.createTextNode(piece);
      nodes.push(mark ? element("mark", { title: mark.message, id: mark.id, class: piece === "\n" ? "break" : "" }, node) : node);
    }
    byId("written").replaceChildren(...nodes, ...(end < this.raw.length ? [element("span", { class: "coming" }, this.raw.slice(end))] : []));
    byId("model-says").textContent = `${end} of ${this.raw.length} characters`;
    byId("written").querySelector(".newest")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  showNaive(text, over, came) {
    byId("naive").textContent = text;
    const unread = new Set(came.filter(({ form }) => form && !["fence", NATIVE].includes(form)).map(({ form }) => form));
    const fates = [...naive(text, over, this.result.tools), ...[...unread].map((form) => `It knows no ${form}: the call is shown to the reader, and nothing runs.`)];
    byId("fates").replaceChildren(...fates.map((fate) => element("li", { "data-fate": "" }, `→ ${fate}`)));
    if (!over) byId("naive").scrollTop = byId("naive").scrollHeight;
  }

  showGuarded(came, end, over) {
    const parts = [];
    const pills = new Map();
    let passed = 0;
    for (const item of came) {
      const { event, data } = item;
      if (event === "text") {
        passed += data.length;
        if (typeof parts.at(-1) === "string") parts[parts.length - 1] += data;
        else parts.push(data);
      } else if (event === BLOCK) {
        // A native call comes with a line of its own that names it.
        if (data.part === 1) passed = (item.form === NATIVE ? Math.max(this.raw.indexOf(data.raw, passed), passed) : passed) + data.raw.length;
        if (pills.has(data.id)) parts[pills.get(data.id)] = item;
        else parts.push(item);
        pills.delete(data.id);
      } else {
        if (!pills.has(data.id)) pills.set(data.id, parts.push(item) - 1);
        parts[pills.get(data.id)] = item;
      }
    }
    const nodes = parts.flatMap((part, at) => {
      if (typeof part === "string") return passedOn(part, parts[at - 1]?.data, this.result.tools);
      return part.data.status === "released" ? [] : [this.node(part)];
    });
    if (!nodes.length) nodes.push(element("p", { class: "quiet" }, end ? "Nothing yet: this line may still become a fence." : "Nothing yet."));
    byId("guarded").replaceChildren(...nodes);
    const held = Math.max(end - passed, 0);
    byId("guard-says").textContent = over
      ? `Took ${(1000 * this.result.seconds).toFixed(1)} ms in all, for ${this.result.deltas.length} deltas`
      : `${Math.min(passed, end)} characters passed on, ${held} held`;
    if (!over) byId("guarded").scrollTop = byId("guarded").scrollHeight;
  }

  node(part) {
    if (!this.nodes.has(part)) this.nodes.set(part, part.event === BLOCK ? card(part) : pill(part.data));
    return this.nodes.get(part);
  }
}

/** Why a fence that was held is no call; by the `reason` of its last status. */
const NO_CALL = {
  unknown_tool: ({ toolType }, tools) => `there is no tool called ${JSON.stringify(toolType)}. The tools are ${tools.join(", ")}`,
  no_tool: () => "it names no tool",
  foreign_key: () => "a key in it belongs to no tool call",
  not_an_object: () => "it is not a JSON object",
  not_json: () => "it is not JSON",
  guard_error: () => "the guard failed",
};

/** Text that was passed on: prose, and fences, which are set as code. `held`: the last status of the fence that it begins with. */
function passedOn(text, held, tools) {
  const nodes = [];
  let lines = [];
  let open = "";
  let why = held?.status === "released" ? NO_CALL[held.reason]?.(held, tools) : "";
  const end = () => {
    const said = open ? lines.join("") : trimmed(lines.join(""));
    if (open) {
      nodes.push(element("figure", { class: "passed", "data-state": "text" }, element("figcaption", {}, element("span", { class: "badge" }, "passed as text"), why ? `: ${why}` : ""), element("pre", { tabindex: "0", "aria-label": "A fence that was passed as text" }, said)));
      why = "";
    } else if (said) nodes.push(element("p", { class: "prose" }, said));
    lines = [];
    open = "";
  };
  for (const line of text.split(/(?<=\n)/)) {
    const found = FENCE.exec(line.replace(/\n$/, ""));
    if (!open && found) {
      end();
      open = found[1];
      lines = [line];
      continue;
    }
    lines.push(line);
    if (open && found && !found[2].trim() && found[1].startsWith(open)) end();
  }
  if (lines.length) end();
  return nodes;
}

function pill({ status, toolType, path }) {
  const doing = { buffering: "Held", validating: "Checking", correcting: "Correcting", approving: "Asking", failing: "Failing" }[status] ?? status;
  return element("div", { class: "pill", "data-state": status }, [doing, toolType, path].filter(Boolean).join(" "));
}

function card({ data: block, diff, form, hint }) {
  const how = verdictOf(block);
  const name = [block.tool ?? "A tool call", block.path].filter(Boolean).join(" ");
  const made = element("article", { class: "trial-block", "data-verdict": how, "aria-label": `${name}: ${WORDS[how]}` });
  made.append(element("h4", {}, element("span", { class: "badge" }, WORDS[how]), ` ${name} `, element("span", { class: "form", title: "How the call is written" }, form)));
  // What several calls were written as stands in their first part; of the others there is the fenced form.
  const pieces = diff ? diff.map(([kind, text]) => (kind === "=" ? kept(text) : changed(kind, text))) : [block.raw || block.content];
  made.append(element("pre", { tabindex: "0", "aria-label": diff ? `How ${name} was changed` : `The block ${name}` }, ...pieces));
  if (form !== "fence" && !diff && block.raw && block.executable) made.append(element("h5", {}, "The same as a fenced block"), element("pre", { tabindex: "0", "aria-label": `The block ${name} as a fenced block` }, block.content));
  if (block.fixes.length) made.append(list("Fixes", block.fixes.map(({ description, path, safety }) => [`${description} `, element("span", { class: "quiet" }, [path, safety.toLowerCase()].filter(Boolean).join(", "))])));
  const issues = block.issues.length ? block.issues : block.found;
  if (issues.length) made.append(list(block.issues.length ? "Issues" : "Issues that the fixes removed", issues.map((issue, index) => [`${issue.message} `, place(block, issue, index, form)])));
  if (block.hint) {
    made.append(element("h5", {}, "What the model is told"), element("p", { class: "told" }, hint));
    if (block.hint.clarifyingQuestion) made.append(element("h5", {}, "What a person is asked"), element("p", { class: "told" }, block.hint.clarifyingQuestion));
  }
  made.append(element("p", { class: `outcome ${block.executable ? "completed" : "failed"}` }, block.executable ? "Executable: the application may run it" : "Not executable: nothing runs"));
  return made;
}

/** Lines of an unchanged text that stand beside a change; those farther away are counted, so that every change is in sight. */
const BESIDE = 4;

function kept(text) {
  const lines = text.split("\n");
  const folded = lines.length - 2 * BESIDE;
  if (folded < BESIDE) return text;
  return [...lines.slice(0, BESIDE), `⋯ ${folded} lines as they were`, ...lines.slice(-BESIDE)].join("\n");
}

/** A text that was removed or added. Line breaks get a sign: one that was removed is else not to be seen. */
function changed(kind, text) {
  const [name, word] = CHANGED[kind];
  return element(name, { title: word }, element("span", { class: "unseen" }, ` ${word}: `), /^\s*$/.test(text) ? text.replaceAll("\n", "⏎") : text.replaceAll("\n", "⏎\n"));
}

function list(title, rows) {
  const made = element("ul", { "aria-label": title }, ...rows.map((row) => element("li", {}, ...row)));
  const both = document.createDocumentFragment();
  both.append(element("h5", {}, title), made);
  return both;
}

/** A button that shows the issue in the model's text; in another form than a fence an issue has no place there. */
function place(block, { line, column, code }, index, form) {
  if (!line || form !== "fence") return element("span", { class: "quiet" }, code);
  const find = () => {
    const mark = document.getElementById(markId(block, index));
    if (!mark) return;
    mark.scrollIntoView({ block: "nearest" });
    for (const other of document.querySelectorAll("mark.shown")) other.classList.remove("shown");
    mark.classList.add("shown");
  };
  return element("button", { type: "button", class: "place", onclick: find }, `line ${line}, column ${column}`);
}

const markId = (block, index) => `issue-${block.id}-${block.part}-${index}`;

/** The issues of all blocks at their places in the model's text; those of a native call have no place there. */
function placed(items, raw) {
  const marks = [];
  let at = 0;
  for (const { event, data, delta, form } of items) {
    if (event === "text") at += data.length;
    if (event !== BLOCK) continue;
    const begins = data.part === 1 ? at : at - data.raw.length;
    if (data.part === 1) at += data.raw.length;
    if (form !== "fence" || !raw.startsWith(data.raw, begins)) continue;
    const body = begins + data.raw.indexOf("\n") + 1;
    const issues = data.issues.length ? data.issues : data.found;
    for (const [index, { line, offset, message }] of issues.entries()) {
      if (!line) continue;
      // The server counts characters, and a string of this page UTF-16 units.
      const from = body + [...raw.slice(body, begins + data.raw.length)].slice(0, offset).join("").length;
      const word = /^(?:"[^"\n]*"?|[\w.-]+|[\s\S])/.exec(raw.slice(from, from + 60))?.[0] ?? "";
      marks.push({ id: markId(data, index), from, to: from + word.length, delta, message });
    }
  }
  return marks;
}
