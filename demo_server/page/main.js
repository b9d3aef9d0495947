/** The page: asks, listens, shows. Everything that is shown comes out of the events, so a reload shows the same. */

import { connect, initial, read, reduce } from "/client/index.js";
import { api } from "./api.js";
import { TurnView } from "./chat.js";
import { chatList, wanted } from "./chats.js";
import { alarm, byId, element, say } from "./dom.js";
import { closeFile, showFiles } from "./files.js";
import { forget, inspect } from "./inspector.js";
import { ownModel, showModel } from "./own.js";

let chat = null;
let changes = 0; // of this window's own, so that an older answer does not undo them
let turns = [];
let shown = null;
let asking = false;
let syncs = 0;
let folded = false;
let ahead = 0; // by how many milliseconds the server's clock is

const dirty = new Set();

/** Show what changed, once a frame and not once an event; a page that nobody looks at has no frames. */
function repaint(turn) {
  if (!dirty.size) (document.hidden ? setTimeout : requestAnimationFrame)(paint);
  dirty.add(turn);
}

function paint() {
  const log = byId("log");
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  for (const turn of dirty) {
    turn.view.show();
    if (turn === shown) inspect(turn);
    if (turn.message.ending !== "running") ended(turn);
  }
  dirty.clear();
  if (atEnd) log.scrollTop = log.scrollHeight;
}

const running = () => turns.filter(({ message }) => message.ending === "running");

function add(told) {
  const turn = { ...told, message: initial(), events: [], raw: "", told: "" };
  turn.view = new TurnView(turn, { onInspect: () => select(turn, true), onAgain: () => begin(turn.scenario ? { scenario: turn.scenario } : { request: turn.request }) });
  turns.push(turn);
  byId("log").querySelector("p.quiet")?.remove();
  byId("log").append(turn.view.root);
  for (const { id, event, data, at } of told.events) take(turn, read(event, data, id), at && 1000 * at - ahead);
  turn.ended = turn.message.ending !== "running";
  turn.view.showNaive(byId("naive").checked);
  turn.view.show();
  select(turn);
  if (!folded) fold();
  if (!turn.ended) listen(turn);
}

/** Fold the replies to pick, once there is a first one; who opens them again has them open. */
function fold() {
  folded = true;
  if (byId("scenarios").contains(document.activeElement)) byId("picks").querySelector("summary").focus();
  byId("picks").open = false;
}

/** An event, heard now or remembered; `at`: when it came, null where nobody knows. */
function take(turn, event, at = Date.now()) {
  const next = reduce(turn.message, event);
  if (next === turn.message) return false;
  turn.message = next;
  turn.events.push({ ...event, at });
  if (event.type === "text") turn.told += event.data;
  if (event.type === "json-tool-block") turn.told += written(event.data);
  // What was heard of the model itself is ahead of the events, unless the hearing broke off.
  const over = next.ending !== "running" && turn.raw.length < turn.told.length;
  if (!turn.heard || over) turn.raw = turn.told;
  return true;
}

/** A block as the model wrote it; a native call as the server tells it while it comes. */
function written({ raw, tool }) {
  return !raw || /^\s*[`~]/.test(raw) ? raw : `\n\n[${tool}] ${raw}`;
}

function listen(turn) {
  hear(turn);
  const connection = connect(api.events(turn.id), {
    after: turn.message.lastId,
    onState: (state) => alarm(state === "waiting" ? "The connection is lost. It comes back by itself." : ""),
    onError: ({ kind, message }) => kind !== "malformed" && alarm(`${message}. Reload the page to try again.`),
    onEvent(event) {
      if (take(turn, event)) repaint(turn);
    },
  });
  turn.leave = () => {
    connection.close();
    turn.listening?.close();
  };
}

/** What the model says meanwhile, where this server can hear it. */
function hear(turn) {
  turn.listening?.close();
  const source = new EventSource(api.raw(turn.id));
  turn.listening = source;
  source.addEventListener("raw", ({ data }) => {
    const { at, text } = JSON.parse(data);
    turn.heard = true;
    turn.raw = turn.raw.slice(0, at) + text;
    repaint(turn);
  });
  source.addEventListener("done", () => source.close());
  source.onerror = () => source.close();
}

/** Of a turn that has ended the server's times are shown, as they are after a reload: what came again came late. */
async function measure(turn) {
  const { times } = await api.times(turn.id).catch(() => ({ times: {} }));
  for (const event of turn.events) event.at = times[event.id] ? 1000 * times[event.id] - ahead : null;
  if (turn === shown) inspect(turn, true);
  turn.view.root.dataset.measured = "";
}

function ended(turn) {
  if (turn.ended) return;
  turn.ended = true;
  measure(turn);
  const { ending } = turn.message;
  say({ done: "The answer is complete.", stopped: "Stopped.", interrupted: "The answer was interrupted." }[ending] ?? "The stream failed.");
  controls();
}

function select(turn, show) {
  shown = turn;
  inspect(turn);
  if (!show) return;
  byId("tab-inspector").click();
  byId("inspector").focus();
  byId("inspector").scrollIntoView({ block: "nearest" }); // below the chat, where the page is narrow
}

function controls() {
  const busy = asking || running().length > 0;
  if (document.activeElement === byId("stop") && !running().length) byId("log").focus();
  byId("stop").hidden = !running().length;
  byId("send").textContent = asking ? "Asking..." : "Send";
  byId("send").disabled = busy;
  for (const button of byId("scenarios").querySelectorAll("button")) button.ariaDisabled = String(busy); // it keeps the focus
}

async function begin(asked) {
  asking = true;
  controls();
  try {
    await opening; // or else the new chat would be shown in place of this turn
    alarm("");
    const { turn, request, scenario } = await api.begin({ ...asked, chat });
    changes += 1;
    if (!wanted()) history.replaceState(null, "", `/?chat=${chat}`); // now there is something to come back to
    if (!turns.some(({ id }) => id === turn)) add({ id: turn, request, scenario, events: [], executions: [] });
    byId("log").scrollTop = byId("log").scrollHeight;
    windows.postMessage("turn");
    return true;
  } catch (error) {
    alarm(error.message);
    return false;
  } finally {
    asking = false;
    controls();
  }
}

/** Windows of the same browser tell each other when there is another turn or another chat. */
const windows = new BroadcastChannel("stream_guard");

/** Show the chat as the server has it, if it is another than the one that is shown. */
async function sync() {
  const before = changes;
  const mine = ++syncs;
  const state = await api.state(wanted()).catch(() => null);
  if (mine !== syncs) return; // a later one asked for what the address says now
  if (before !== changes) return sync();
  if (!state) return;
  if (`${[state.chat, ...state.turns.map(({ id }) => id)]}` !== `${[chat, ...turns.map(({ id }) => id)]}`) return load(state);
  showModel(state.own, state.model);
  list.refresh();
}
windows.addEventListener("message", sync);
addEventListener("pageshow", ({ persisted }) => persisted && sync());
document.addEventListener("visibilitychange", () => document.hidden || sync());

function load({ chat: shownChat, turns: told, files, scenarios, model, own, now }) {
  ahead = 1000 * now - Date.now();
  turns.forEach((turn) => turn.leave?.());
  if (wanted() && wanted() !== shownChat) history.replaceState(null, "", "/"); // it was deleted: this is the last one
  chat = shownChat;
  turns = [];
  shown = null;
  forget();
  byId("log").replaceChildren(
    element("p", { class: "quiet" }, "A model writes its tool calls into its text, and writes them wrong. Pick a reply below: the prose streams on, each call is held, checked, mended, and run."),
  );
  showModel(own, model);
  byId("scenarios").replaceChildren(
    ...scenarios.map(({ name, title, request }) =>
      element("li", {}, element("button", { type: "button", "data-scenario": name, title: request, onclick: ({ currentTarget }) => currentTarget.ariaDisabled === "true" || begin({ scenario: name }) }, title)),
    ),
  );
  showFiles(files);
  if (!told.length) byId("picks").open = true; // there is nothing else to begin with
  folded = false;
  told.forEach(add);
  controls();
  byId("log").scrollTop = byId("log").scrollHeight;
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const request = byId("request").value.trim();
  if (!request || asking || running().length) return;
  byId("request").value = "";
  begin({ request }).then((begun) => begun || (byId("request").value ||= request)); // what was refused can be sent again
});
byId("request").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  byId("form").requestSubmit();
});
byId("stop").addEventListener("click", () => running().forEach(({ id }) => api.stop(id).catch(({ message }) => alarm(message))));
ownModel(() => {
  sync();
  windows.postMessage("model");
});
/** Show a chat, under an address of its own. */
function show(id) {
  history.pushState(null, "", `/?chat=${id}`);
  sync();
}
addEventListener("popstate", sync);
const list = chatList({
  current: () => chat,
  open: show,
  changed() {
    windows.postMessage("chats");
    return sync();
  },
});
let opening = Promise.resolve(); // until a new chat is shown
function anew(files) {
  opening = renew(files).catch(({ message }) => alarm(message));
}
async function renew(files) {
  const state = await api.reset(files);
  changes += 1;
  if (wanted()) history.pushState(null, "", "/");
  load(state);
  if (files) closeFile();
  windows.postMessage("chat");
}
byId("new-chat").addEventListener("click", () => anew(false));
byId("reset").addEventListener("click", () => {
  if (confirm("Begin a new chat, and put back the files that it began with?")) anew(true);
});
byId("naive").addEventListener("change", ({ target }) => turns.forEach(({ view }) => view.showNaive(target.checked)));

const tabs = ["inspector", "workspace"];
for (const name of tabs) {
  const tab = byId(`tab-${name}`);
  tab.addEventListener("click", () => {
    for (const other of tabs) {
      byId(`tab-${other}`).setAttribute("aria-selected", String(other === name));
      byId(`tab-${other}`).tabIndex = other === name ? 0 : -1;
      byId(other).hidden = other !== name;
    }
  });
  tab.addEventListener("keydown", ({ key }) => {
    if (key !== "ArrowRight" && key !== "ArrowLeft") return;
    const next = byId(`tab-${tabs.find((other) => other !== name)}`);
    next.focus();
    next.click();
  });
}
addEventListener("offline", () => alarm("There is no network. It goes on when there is."));
addEventListener("online", () => alarm(""));

try {
  load(await api.state(wanted()));
  document.body.dataset.ready = "";
} catch (error) {
  alarm(error.message);
}
