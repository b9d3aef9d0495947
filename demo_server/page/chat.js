/** One turn on the page: the request, the prose, pills that become blocks, and what became of them. */

import { Executors, JsonToolParser, isFileCall } from "/client/index.js";
import { api } from "./api.js";
import { byId, copy, element, say, trimmed } from "./dom.js";
import { refreshFiles, showChange } from "./files.js";
import { coloured, Markdown } from "./markdown.js";
import { naive } from "./naive.js";
import { WORDS, verdictOf } from "./verdict.js";

const DOING = { write_file: "Creating", edit_file: "Editing", delete_file: "Deleting", validate_lesson_data: "Preparing a lesson" };

/** A call of a tool that the server has: a file's, or a lesson. */
const guard = (call) => isFileCall(call) || (call.tool === "validate_lesson_data" && typeof call.lessonData === "object");
const parser = new JsonToolParser({ guard });

/** A block as coloured lines. */
const lines = (text) => text.split(/(?<=\n)/).flatMap(coloured);

/** The text of a call while it is written, a line at a time in colours. Lines that are shown are not made again. */
class GrowingText {
  constructor() {
    this.shown = 0; // characters in lines that are complete
    this.last = document.createTextNode("");
    this.text = element("pre", { class: "growing", hidden: "", "aria-hidden": "true" }, this.last);
    this.root = element("div", {}, this.text);
  }

  show(pill, preview) {
    this.root.replaceChildren(pill, this.text);
    const text = longest(preview);
    const end = text.lastIndexOf("\n") + 1;
    if (end > this.shown) {
      this.last.before(...lines(text.slice(this.shown, end)));
      this.shown = end;
    }
    this.last.data = text.slice(this.shown);
    this.text.hidden = !text;
    this.text.scrollTop = this.text.scrollHeight;
  }
}

/** The text that a file or an edit of one consists of, as far as it is written. */
const longest = (preview) => preview?.content ?? preview?.search_replace?.new_string ?? "";

export class TurnView {
  constructor(turn, { onInspect, onAgain }) {
    this.turn = turn;
    this.parts = [];
    this.prose = new WeakMap(); // by node: what shows it
    this.texts = new WeakMap(); // by node: what shows the text of a block that is held
    this.results = new Map(turn.executions.map((done) => [`${done.block}.${done.part}`, done]));
    this.guarded = element("div");
    this.bare = element("div", { class: "naive", hidden: "" });
    this.end = element("p", { class: "ending" });
    this.root = element("article", { "data-turn": turn.id, "aria-label": turn.request }, element("h3", {}, turn.request), this.guarded, this.bare, this.end);
    this.onInspect = onInspect;
    this.onAgain = onAgain;
    // The server remembers what ran, and tells it whoever asks again.
    this.executors = new Executors({ guard, store: null, onChange: (call, outcome) => this.executed(call, outcome) });
    this.executors.register("*", (call) => api.run(turn.id, this.calls.get(call.id).block));
    this.calls = new Map(); // by id: the block that a call came from, and where its result is shown
  }

  /** Show the message as it is now; only what changed is made anew. */
  show() {
    const { parts, ending, error } = this.turn.message;
    parts.forEach((part, index) => {
      const known = this.parts[index];
      if (known?.part === part) return;
      const node = this.node(part, known);
      if (!known) this.guarded.append(node);
      else if (known.node !== node) known.node.replaceWith(node);
      this.parts[index] = { part, node };
    });
    for (const { node } of this.parts.splice(parts.length)) node.remove();
    this.root.dataset.ending = ending;
    const words = { running: "", done: "", stopped: "Stopped.", interrupted: "Interrupted.", failed: "The stream failed." }[ending];
    const buttons = [element("button", { type: "button", onclick: this.onInspect }, "Inspect")];
    if (["stopped", "interrupted", "failed"].includes(ending)) buttons.push(element("button", { type: "button", onclick: this.onAgain }, "Ask again"));
    this.end.replaceChildren(...(words ? [`${words}${error && ending !== "interrupted" ? ` ${error}` : ""}`] : []), ...buttons);
    this.showNaive();
  }

  node(part, known) {
    if (part.type === "text") {
      const shown = known?.part.type === "text" ? this.prose.get(known.node) : new Markdown();
      shown.show(trimmed(part.text));
      this.prose.set(shown.root, shown);
      return shown.root;
    }
    if (part.type === "error") return element("p", { class: "result failed" }, `✗ ${part.message}`);
    return part.stage === "block" ? this.block(part) : this.held(part, known);
  }

  /** What is known of a block that is held: a pill, and below it the text that is being written. */
  held(part, known) {
    const shown = this.texts.get(known?.node) ?? new GrowingText();
    shown.show(this.pill(part), part.preview);
    this.texts.set(shown.root, shown);
    return shown.root;
  }

  pill({ status, stage, lost }) {
    const { status: state = stage, toolType, path, received, attempt, maxAttempts } = status ?? lost;
    let said = `${DOING[toolType] ?? (toolType ? "Calling" : "Receiving")}... ${path ?? toolType ?? ""}`;
    if (state === "validating") said = `Checking... ${path ?? toolType ?? ""}`;
    if (state === "correcting") said = `Correcting (${attempt} of ${maxAttempts})... ${path ?? toolType ?? ""}`;
    if (state === "failing") said = `Going wrong... ${path ?? toolType ?? ""}`;
    if (state === "approving") said = `Waiting for an approval... ${path ?? toolType ?? ""}`;
    if (stage === "lost") said = `Never came: ${path ?? toolType ?? "a block"}`;
    else say(said);
    return element("div", { class: `pill ${stage}`, "data-state": state }, said, ...(received ? [element("small", {}, `${received} characters`)] : []));
  }

  block({ blocks }) {
    return element("div", {}, ...blocks.map((block) => this.call(block)));
  }

  call(block) {
    const how = verdictOf(block);
    const name = `${block.tool ?? "A tool call"} ${block.path ?? ""} `;
    const summary = element("summary", {}, name, element("span", { class: "badge" }, WORDS[how]));
    const copier = element("button", { type: "button", class: "copy", "aria-label": `Copy the block ${name}`, onclick: ({ target }) => copy(block.content || block.raw, target) }, "Copy");
    const card = element("div", { class: "block", "data-verdict": how }, element("details", {}, summary, copier, element("pre", { tabindex: "0", "aria-label": `The block ${name}` }, ...lines(block.content || block.raw))));
    const call = parser.parseBlock(block);
    if (!block.executable || !call) {
      const why = block.issues[0]?.message ?? block.hint?.message ?? "It did not pass";
      card.append(element("div", { class: "result failed", "data-result": "failed" }, `✗ Not run: ${why}`));
      say(`Not run: ${why}`);
      return card;
    }
    const done = this.results.get(call.id);
    const slot = element("div", { class: "result", "data-result": call.status, tabindex: "-1" }, "Running...");
    this.calls.set(call.id, { block, slot });
    card.append(slot);
    if (done && done.state !== "executing") this.result(slot, done);
    else queueMicrotask(() => this.executors.run(call));
    return card;
  }

  executed(call, outcome) {
    const { block, slot } = this.calls.get(call.id);
    slot.dataset.result = call.status;
    if (!outcome) return;
    const done = outcome.status === "completed" ? outcome.result : { block: block.id, part: block.part, state: "failed", message: outcome.error.message, diff: [] };
    this.results.set(call.id, done);
    this.result(slot, done);
    say(done.message);
    refreshFiles();
    if (done.diff.length) showChange(done);
  }

  /** Show the result of a call; `refused`: why it was not undone. */
  result(slot, done, refused = "") {
    const state = refused ? "refused" : done.state;
    const mark = { completed: "✓", undone: "↩", refused: "!" }[state] ?? "✗";
    slot.dataset.result = state;
    slot.className = `result ${state}`;
    const said = done.state === "undone" ? `Undone: ${done.message}` : done.message;
    const buttons = [];
    if (done.diff.length) buttons.push(element("button", { type: "button", onclick: () => this.onChange(done) }, "Show change"));
    if (done.undoable) buttons.push(element("button", { type: "button", onclick: () => this.undo(slot, done) }, "Undo"));
    const why = refused ? [element("span", { role: "alert" }, refused)] : [];
    slot.replaceChildren(element("span", {}, `${mark} ${said}`), ...why, ...buttons);
  }

  onChange(done) {
    showChange(done);
    byId("tab-workspace").click();
    byId("workspace").scrollIntoView({ block: "nearest" });
  }

  async undo(slot, done) {
    const here = slot.contains(document.activeElement);
    try {
      const undone = await api.undo(this.turn.id, { id: done.block, part: done.part });
      this.results.set(`${done.block}.${done.part}`, undone);
      this.result(slot, undone);
      refreshFiles();
    } catch (error) {
      this.result(slot, done, error.message);
    }
    if (here) ([...slot.querySelectorAll("button")].at(-1) ?? slot).focus(); // the button that had it is gone
  }

  /** What the same stream is without the guard. */
  showNaive(on = !this.bare.hidden) {
    this.bare.hidden = !on;
    this.guarded.hidden = on;
    if (!on) return;
    const over = this.turn.message.ending !== "running";
    const fates = naive(this.turn.raw, over).map((fate) => element("p", { class: "naive-note", "data-fate": "" }, `→ ${fate}`));
    this.bare.replaceChildren(element("p", { class: "naive-note" }, "Without the guard a reader sees this:"), element("pre", { class: "prose", tabindex: "0", "aria-label": "The stream without the guard" }, this.turn.raw), ...fates);
  }
}
