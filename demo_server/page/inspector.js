/** The raw stream beside the events, when what was held, and what was found and mended. Times are those of the server once a turn has ended. */

import { byId, element } from "./dom.js";
import { WORDS, verdictOf } from "./verdict.js";

let shown = { turn: null, rows: 0, raw: "" };

/** Show a turn as it is now: from the beginning when it is another one or all is to be `anew`, else only what is new. */
export function inspect(turn, anew = false) {
  if (shown.turn !== turn || anew) {
    shown = { turn, rows: 0, raw: null };
    byId("events").replaceChildren();
    byId("verdicts").replaceChildren("No call yet.");
    byId("timeline").replaceChildren("Nothing was held.");
  }
  const fresh = turn.events.slice(shown.rows);
  shown.rows = turn.events.length;
  const begun = turn.events.find(({ at }) => at !== null)?.at ?? 0;
  for (const event of fresh) add(event, begun);
  if (fresh.length) byId("events").scrollTop = byId("events").scrollHeight;
  if (fresh.some(({ type }) => type !== "text")) byId("timeline").replaceChildren(...timeline(turn.events, begun));
  const blocks = fresh.filter(({ type }) => type === "json-tool-block").map(({ data }) => verdict(data));
  if (blocks.length) byId("verdicts")[byId("verdicts").querySelector(".verdict") ? "append" : "replaceChildren"](...blocks);
  if (shown.raw !== turn.raw) {
    shown.raw = byId("raw").textContent = turn.raw;
    byId("raw").scrollTop = byId("raw").scrollHeight;
  }
}

/** Show nothing, as at first. */
export function forget() {
  shown = { turn: null, rows: 0, raw: "" };
  for (const name of ["raw", "events"]) byId(name).replaceChildren();
  for (const name of ["timeline", "verdicts"]) byId(name).replaceChildren(byId(name).dataset.first);
}

/** Add an event to the list. How far a call is written is one line that counts up. */
function add(event, begun) {
  const { type, data } = event;
  const made = row(event, begun);
  if (type === "json-tool-status" && data.status === "buffering") {
    made.dataset.buffering = data.id;
    const last = byId("events").lastElementChild;
    if (last?.dataset.buffering === data.id) return last.replaceWith(made);
  }
  byId("events").append(made);
}

function row({ type, data, at }, begun) {
  const time = element("time", {}, at === null ? "– " : `${((at - begun) / 1000).toFixed(2)} `);
  if (type === "text") return element("li", {}, time, JSON.stringify(data));
  if (type === "json-tool-status") {
    const { status, toolType, path, received, attempt, reason } = data;
    const more = [toolType, path, received && `${received} characters`, attempt && `attempt ${attempt}`, reason];
    return element("li", { class: "status" }, time, `${type} ${status} ${more.filter(Boolean).join(" ")}`);
  }
  if (type === "json-tool-block") {
    const how = verdictOf(data);
    return element("li", { class: "block-event", "data-verdict": how }, time, `${type} ${data.tool ?? "?"} ${data.path ?? ""} ${WORDS[how]}`);
  }
  return element("li", {}, time, `${type} ${data.ending ?? ""}`);
}

/** For each block: from when to when it was held, and how much of that the model, the guard and a correction took. */
function timeline(events, begun) {
  const ends = events.findLast(({ at }) => at !== null)?.at ?? 0;
  const total = Math.max(ends - begun, 1);
  const held = new Map();
  const unknown = new Set(); // blocks with an event of which nobody knows when it came
  for (const { type, data, at: heard } of events) {
    if (heard === null) {
      if (type !== "text" && data.id) unknown.add(data.id);
      continue;
    }
    const at = Math.round(heard - begun);
    if (type === "json-tool-status") {
      const known = held.get(data.id) ?? { name: "", from: at, to: at, correcting: null, checked: null };
      known.to = at;
      known.name = data.path ?? data.toolType ?? known.name;
      if (data.status === "validating") known.checked ??= at;
      if (data.status === "correcting") known.correcting ??= at;
      if (data.status === "released") known.name = "released";
      held.set(data.id, known);
    } else if (type === "json-tool-block" && held.has(data.id)) {
      held.get(data.id).to = at;
    }
  }
  for (const id of unknown) held.delete(id);
  const unmeasured = unknown.size ? [element("p", { class: "quiet" }, `Not measured: ${unknown.size === 1 ? "one block" : `${unknown.size} blocks`} of before times were kept.`)] : [];
  if (!held.size) return unmeasured.length ? unmeasured : ["Nothing was held."];
  const bars = [...held.values()].map(({ name, from, to, correcting, checked }) => {
    const track = element("span", { class: "track" });
    const part = (since, until, kind) => {
      const bar = element("i", { class: kind });
      bar.style.left = `${(100 * since) / total}%`;
      bar.style.width = `${(100 * (until - since)) / total}%`;
      track.append(bar);
    };
    part(from, checked ?? to, "holding");
    if (checked !== null) part(checked, correcting ?? to, "checking");
    if (correcting !== null) part(correcting, to, "correcting");
    const shares = [
      `the model wrote for ${(checked ?? to) - from}`,
      ...(checked === null ? [] : [`the guard took ${(correcting ?? to) - checked}`]),
      ...(correcting === null ? [] : [`its correction took ${to - correcting}`]),
    ];
    const said = `held ${to - from} ms: ${shares.join(", ")}`;
    return element("div", { class: "bar" }, element("span", {}, name || "a block"), track, element("span", {}, said));
  });
  return [...bars, ...unmeasured];
}

const written = (value) => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, null, 1));

function verdict(block) {
  const how = verdictOf(block);
  const card = element("div", { class: "verdict", "data-verdict": how });
  card.append(element("p", {}, element("strong", {}, `${block.tool ?? "No tool"} ${block.path ?? ""} `), element("span", { class: "badge" }, WORDS[how])));
  for (const fix of block.fixes)
    card.append(
      element("p", {}, `${fix.description} (${fix.type}, ${fix.safety.toLowerCase()}, ${Math.round(100 * fix.confidence)} %)`),
      element("p", { class: "quiet" }, fix.path || "block"),
      pairs([["before", element("del", {}, written(fix.before))], ["after", element("ins", {}, written(fix.after))]]),
    );
  for (const { number, outcome, reason, seconds } of block.attempts)
    card.append(element("p", {}, `Attempt ${number} of a model: ${outcome}${reason ? ` (${reason})` : ""}, ${seconds.toFixed(2)} s`));
  const issues = block.issues.length ? block.issues : block.found;
  for (const { code, message, field, line, column } of issues)
    card.append(element("p", {}, `${block.issues.length ? "Wrong" : "Was wrong"}: ${message} [${code}${field ? `, ${field}` : ""}${line ? `, line ${line}, column ${column}` : ""}]`));
  if (block.hint)
    card.append(
      element("p", {}, `For the model (${block.hint.recovery}): ${block.hint.message}`),
      ...(block.hint.clarifyingQuestion ? [element("p", {}, `To ask: ${block.hint.clarifyingQuestion}`)] : []),
    );
  return card;
}

function pairs(rows) {
  return element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
