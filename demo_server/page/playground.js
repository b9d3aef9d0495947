/** The playground: a reply and settings go to the server, and everything that each delta caused comes back. The address holds it all. */

import { api } from "./api.js";
import { alarm, byId, copy, element, say } from "./dom.js";
import { Replay } from "./replay.js";
import { decoded, encoded } from "./share.js";

const CHOICES = ["ended", "fixes", "dialect", "reasoning", "announce"];

let samples = [];
let replay = null;
let playing = null;
let asked = 0; // answers to earlier requests are dropped
let waiting = null;

function trial() {
  return {
    text: byId("text").value,
    tools: document.querySelector("[name=tools]:checked").value,
    ...(document.querySelector("[name=tools]:checked").value === "own" ? { schema: byId("schema").value } : {}),
    size: Math.trunc(Number(byId("size").value)) || 0,
    languages: byId("languages").value.split(",").map((word) => word.trim()),
    ...Object.fromEntries(CHOICES.map((name) => [name, byId(name).value])),
  };
}

/** Put a trial into the form; what it does not say gets its default. */
function fill({ text = "", tools = "files", schema, size = 4, languages = ["json"], ...more }) {
  byId("text").value = String(text);
  for (const radio of document.querySelectorAll("[name=tools]")) radio.checked = radio.value === tools;
  if (!document.querySelector("[name=tools]:checked")) document.querySelector("[name=tools][value=files]").checked = true;
  if (typeof schema === "string") byId("schema").value = schema;
  byId("size").value = Number(size) || 0;
  byId("languages").value = Array.isArray(languages) ? languages.join(",") : "json";
  for (const name of CHOICES) {
    byId(name).value = more[name];
    if (byId(name).selectedIndex < 0) byId(name).selectedIndex = 0;
  }
  dress();
}

function dress() {
  byId("own").hidden = document.querySelector("[name=tools]:checked").value !== "own";
}

/** Guard what the form says, and show it: at its end, or at its beginning when it is to be played. */
async function guard() {
  clearTimeout(waiting);
  stop();
  const mine = ++asked;
  const told = trial();
  if (!told.text) return clear();
  if (told.tools === "own" && !told.schema.trim()) return clear("Write your tools under “Your own”: definitions as for OpenAI or Anthropic, or a JSON Schema with a title. The grey text there is an example.");
  const wrong = told.tools === "own" ? notJson(told.schema) : "";
  if (wrong) return refuse(wrong);
  try {
    const [result, fragment] = await Promise.all([api.trial(told), encoded(told)]);
    if (mine !== asked) return;
    alarm("");
    history.replaceState(null, "", `#${fragment}`);
    replay = new Replay(result);
    byId("kind").textContent = result.kind === "text" ? "" : `A recorded stream of ${result.kind}: each of its events is a delta, and the settings of the stream do not apply`;
    byId("at").max = replay.last;
    show(replay.last);
    for (const name of ["written", "naive", "guarded"]) byId(name).scrollTop = 0;
    say(outcomes(result));
  } catch (error) {
    if (mine === asked) refuse(error.message);
  }
}

function outcomes({ items }) {
  const blocks = items.filter(({ event }) => event === "json-tool-block").map(({ data }) => data.outcome);
  return blocks.length ? `Guarded. Blocks: ${blocks.join(", ")}.` : "Guarded. No tool call in it.";
}

/** What is wrong with a text that is to be JSON; empty when nothing is. The server says the rest. */
function notJson(text) {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return `Your tools are not JSON: ${error.message}`;
  }
}

function refuse(why) {
  clear("Nothing was guarded.");
  alarm(why);
}

function clear(said = "Paste a reply, or start from one that is broken. What the guard passes on is shown here, delta by delta.") {
  replay = null;
  alarm("");
  byId("at").max = 0;
  for (const name of ["kind", "model-says", "guard-says", "where"]) byId(name).textContent = "";
  byId("written").replaceChildren();
  byId("naive").replaceChildren();
  byId("fates").replaceChildren();
  byId("guarded").replaceChildren(element("p", { class: "quiet" }, said));
  controls(0);
}

function show(at) {
  const now = Math.min(Math.max(at, 0), replay.last);
  byId("at").value = now;
  replay.show(now);
  controls(now);
}

function controls(at) {
  const last = replay?.last ?? 0;
  for (const name of ["play", "back", "next", "at", "copy-link", "copy-test", "copy-curl"]) byId(name).disabled = !replay;
  if (!replay) return;
  const where = at === last ? "the end" : `delta ${at} of ${last - 1}`;
  byId("where").textContent = where;
  byId("at").setAttribute("aria-valuetext", where);
  byId("back").disabled = at === 0;
  byId("next").disabled = at === last;
}

const now = () => Number(byId("at").value);

function play() {
  if (playing) return stop();
  if (now() === replay.last) show(0);
  byId("play").textContent = "❚❚ Pause";
  const pace = Math.min(Math.max(Number(byId("pace").value) || 20, 1), 200);
  playing = setInterval(() => {
    show(now() + 1);
    if (now() === replay.last) stop();
  }, 1000 / pace);
}

function stop() {
  clearInterval(playing);
  playing = null;
  byId("play").textContent = "▶ Play";
}

function later() {
  clearTimeout(waiting);
  waiting = setTimeout(guard, 250);
}

async function takeFile(file) {
  if (!file) return;
  if (file.size > 200_000) return alarm("The file is too long: a reply has at most 50,000 characters.");
  const text = await file.text();
  if (text.length > 50_000) return alarm("The file is too long: a reply has at most 50,000 characters.");
  byId("sample").value = "";
  byId("text").value = text;
  guard();
}

/** The trial as a command: a first request for the session, and one for the trial. JSON has no line with the end mark alone. */
function curl() {
  const site = location.origin;
  return `curl -s -c cookies.txt -o /dev/null ${site}/playground\ncurl -s -b cookies.txt -H 'Content-Type: application/json' --data-binary @- ${site}/api/playground <<'TRIAL'\n${JSON.stringify(trial())}\nTRIAL\n`;
}

byId("trial").addEventListener("submit", (event) => event.preventDefault());
byId("trial").addEventListener("input", ({ target }) => {
  if (["sample", "file", "pace"].includes(target.id)) return;
  if (target.id === "text") byId("sample").value = "";
  dress();
  later();
});
byId("sample").addEventListener("change", ({ target }) => {
  const sample = samples.find(({ name }) => name === target.value);
  if (!sample) return byId("text").focus();
  fill({ ...trial(), ...sample });
  guard();
});
byId("file").addEventListener("change", ({ target }) => takeFile(target.files[0]));
for (const kind of ["dragover", "dragleave", "drop"])
  byId("text").addEventListener(kind, (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    byId("text").classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") takeFile(event.dataTransfer.files[0]);
  });
byId("at").addEventListener("input", () => {
  stop();
  show(now());
});
byId("play").addEventListener("click", play);
for (const [name, step] of [["back", -1], ["next", 1]])
  byId(name).addEventListener("click", () => {
    stop();
    show(now() + step);
  });
const COPIES = {
  "copy-link": async () => `${location.origin}/playground#${await encoded(trial())}`,
  "copy-test": () => replay.result.test,
  "copy-curl": curl,
};
for (const [name, made] of Object.entries(COPIES)) byId(name).addEventListener("click", async ({ target }) => copy(await made(), target));

/** Show the trial that the address holds; without one, a broken reply to begin with. */
async function open() {
  const told = location.hash.length > 1 ? await decoded(location.hash.slice(1)) : null;
  const broken = location.hash.length > 1 && !told;
  const sample = samples.find(({ name }) => name === "raw-newline");
  fill(told ?? sample);
  byId("sample").value = told ? (samples.find(({ text }) => text === told.text)?.name ?? "") : sample.name;
  await guard();
  if (broken) alarm("This link holds no trial that can be read. A sample is shown.");
}
addEventListener("hashchange", open);

// Where the result stands below the form, what is seldom set is folded: the result is in sight under the text.
for (const settings of document.querySelectorAll(".settings")) settings.open = matchMedia("(min-width: 60rem)").matches;

try {
  const told = await api.samples();
  samples = told.samples;
  const more = told.dialects.filter((name) => !["fence", "all"].includes(name));
  byId("dialect").append(...more.map((name) => element("option", { value: name }, `${name}, and fences`)));
  byId("sample").append(...samples.map(({ name, title }) => element("option", { value: name }, title)));
  await open();
  document.body.dataset.ready = "";
} catch (error) {
  alarm(error.message);
}
