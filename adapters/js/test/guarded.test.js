import assert from "node:assert/strict";
import { test } from "node:test";
import { Executors, GuardedStream, StreamError, connect, followEvents, initial, reduce } from "../src/index.js";
import { all, done, event, served, serves, sse, text, texts } from "./kit/server.js";

const CONTENT = '```json\n{"tool": "delete_file", "path": "a"}\n```';
const EMPTY = { found: [], issues: [], fixes: [], attempts: [] };
const block = (n, more = {}) =>
  event("json-tool-block", { id: `b${n}`, part: 1, tool: "delete_file", content: CONTENT, executable: true, ...EMPTY, ...more }, `${n}-1`);

/** A stream, and a function that waits until its snapshot is as it should be. */
function shown(options = {}, source = served.url) {
  const stream = new GuardedStream(source, { wait: 1, ...options });
  let look = () => {};
  const leave = stream.subscribe(() => look());
  const until = (is) =>
    new Promise((found) => {
      look = () => is(stream.getSnapshot()) && found(stream.getSnapshot());
      look();
    });
  return { stream, leave, until };
}
const closed = ({ state }) => state === "closed";
const runner = (ran) => new Executors({ store: null }).register("*", ({ id }) => ran.push(id));

test("a function makes the request, with the headers and the signal, and is called once", async () => {
  serves((_, response) => sse(response).end(text(0)));
  let calls = 0;
  const source = (init) => (calls++, fetch(served.url, { ...init, method: "POST" }));
  const found = [];
  await assert.rejects(async () => { for await (const one of followEvents(source)) found.push(one); }, { kind: "lost" });
  assert.deepEqual([texts(found), calls], [["é0"], 1]);
});

test("a function is called again behind the last event, if it says so", async () => {
  serves((_, response) => sse(response).end(served.asked.length === 1 ? text(0) : text(1) + done(2)));
  const source = (init) => fetch(served.url, { ...init, method: "POST" });
  assert.deepEqual(texts(await all(followEvents(source, { retries: 1, wait: 1 }))), ["é0", "é1"]);
  assert.deepEqual(served.asked.map(({ after }) => after), [undefined, "0-1"]);
});

test("a function that returns no response is refused, and is told what to pass", async () => {
  for (const [source, what] of [[() => null, "null"], [() => "/streams/1", "string"], [() => {}, "undefined"], [async () => new URL(served.url), "object"]]) {
    const { kind, message } = await new Promise((onError) => connect(source, { retries: 3, onEvent: () => {}, onError }));
    assert.deepEqual([kind, message.includes(` ${what}:`), / ref$/.test(message)], ["refused", true, true], message);
  }
});

test("a function that fails is told like a server that cannot be reached", async () => {
  const error = await new Promise((onError) => connect(() => Promise.reject(new Error("no")), { onEvent: () => {}, onError }));
  assert.deepEqual([error instanceof StreamError, error.kind, error.cause.message], [true, "lost", "no"]);
});

test("nothing is read before somebody subscribes, and one request is made for one who leaves and comes back at once", async () => {
  serves((_, response) => sse(response).end(text(0) + done(1)));
  const stream = new GuardedStream(served.url);
  assert.equal(stream.getSnapshot().state, "idle");
  await new Promise((later) => setTimeout(later, 5));
  assert.equal(served.asked.length, 0);
  stream.subscribe(() => {})();
  await new Promise((over) => stream.subscribe(() => closed(stream.getSnapshot()) && over()));
  assert.equal(served.asked.length, 1);
  assert.equal(stream.getSnapshot().message.ending, "done");
});

test("a message that has no end is not left running where the server has no more of it", async () => {
  for (const message of [undefined, reduce(initial(), { type: "text", data: "a", id: "5-1" })]) {
    serves((request, response) => (request.headers["last-event-id"] ? response.writeHead(204).end() : sse(response).end(text(0))));
    const { until, leave } = shown(message ? { message } : {});
    const { error, state } = await until((one) => closed(one) && one.error);
    assert.deepEqual([error.kind, error.status, state], ["lost", 204, "closed"]);
    leave();
  }
  serves((_, response) => sse(response).end(text(0) + done(1)));
  const { until } = shown();
  const { error } = await until(closed);
  assert.equal(error, null);
});

test("a source that throws, and a listener that does, are told as others are", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  const failing = [() => { throw new Error("no"); }, () => Promise.reject(new Error("no"))];
  for (const source of failing) {
    const stream = new GuardedStream(source, { wait: 1, retries: 2 });
    const states = [];
    stream.subscribe(() => { throw new Error("the page is broken"); });
    await new Promise((over) => stream.subscribe(() => (states.push(stream.getSnapshot().state), closed(stream.getSnapshot()) && over())));
    assert.deepEqual([states.includes("waiting"), stream.getSnapshot().error.cause.message], [true, "no"]);
    assert.ok(said.mock.callCount());
    for (const { arguments: [error] } of said.mock.calls) assert.equal(error.message, "the page is broken");
    said.mock.resetCalls();
  }
});

test("a snapshot is the same object until something has changed", async () => {
  serves((_, response) => sse(response).end(text(0) + text(0) + done(1)));
  const { stream, until } = shown();
  const end = await until(closed);
  assert.equal(stream.getSnapshot(), end);
  assert.deepEqual(end.message.parts, [{ type: "text", text: "é0" }]);
});

test("a stream that is left is read on behind its last event, and one at its end is not read again", async () => {
  let open;
  serves((_, response) => {
    if (served.asked.length === 1) (open = sse(response)).write(text(0));
    else sse(response).end(text(1) + done(2));
  });
  const { stream, leave, until } = shown();
  await until(({ message }) => message.lastId);
  const ended = new Promise((over) => open.on("close", over));
  leave();
  await ended;
  await new Promise((over) => stream.subscribe(() => stream.getSnapshot().message.ending === "done" && over()));
  assert.equal(stream.getSnapshot().message.parts[0].text, "é0é1");
  assert.deepEqual(served.asked.map(({ after }) => after), [undefined, "0-1"]);
  stream.subscribe(() => {});
  await new Promise((later) => setTimeout(later, 5));
  assert.equal(served.asked.length, 2);
});

test("calls of the stream are given to the executors, once, and show their outcome", async () => {
  const ran = [];
  serves((_, response) => sse(response).end(block(0) + block(0) + block(1, { executable: false }) + block(2) + done(3)));
  const { until } = shown({ executors: runner(ran) });
  const { calls } = await until((now) => closed(now) && now.calls.every(({ outcome }) => outcome));
  assert.deepEqual(ran, ["b0.1", "b2.1"]);
  assert.deepEqual(calls.map(({ call, outcome }) => [call.id, call.status, outcome.result]), [["b0.1", "completed", 1], ["b2.1", "completed", 2]]);
});

test("a call of a tool that has a function and no guard is reported, and not run", async (t) => {
  const errors = typeof reportError === "function" ? t.mock.method(globalThis, "reportError", () => {}) : t.mock.method(console, "error", () => {});
  const note = (tool) => ({ tool, content: `\`\`\`json\n{"tool": "${tool}", "title": "x"}\n\`\`\`` });
  serves((_, response) => sse(response).end(block(1, note("save_note")) + block(2, note("of_the_server")) + done(3)));
  const ran = [];
  const executors = new Executors({ store: null }).register("save_note", (call) => ran.push(call));
  const { until } = shown({ executors });
  const { calls } = await until(closed);
  assert.deepEqual([ran, calls, errors.mock.calls.length], [[], [], 1]);
  assert.match(errors.mock.calls[0].arguments[0].message, /b1\. Tools of your own need their guard/);
});

test("a message that was kept goes on behind its last event, and its calls are not run", async () => {
  const ran = [];
  serves((_, response) => sse(response).end(served.asked.length === 1 ? text(0) + block(1) : block(2) + done(3)));
  const first = shown({ retries: 0 });
  const kept = JSON.parse(JSON.stringify((await first.until(closed)).message));
  const { until } = shown({ message: kept, executors: runner(ran) });
  const { message } = await until((now) => closed(now) && now.calls[0]?.outcome);
  assert.deepEqual(message.parts.map(({ type }) => type), ["text", "tool", "tool"]);
  assert.deepEqual([ran, served.asked[1].after], [["b2.1"], "1-1"]);
});

test("no message that was kept is a new one", () => {
  for (const message of [null, undefined]) assert.deepEqual(new GuardedStream("/s", { message }).getSnapshot().message.parts, []);
});

/** A kept message with one member changed, which may be in a part. */
const spoilt = (message, path, value) => {
  const made = structuredClone(message);
  const at = path.slice(0, -1).reduce((node, name) => node[name], made);
  if (value === undefined && !Array.isArray(at)) delete at[path.at(-1)];
  else at[path.at(-1)] = value;
  return made;
};

/** What each member of a kept message may be, besides what it is. */
const MAY_BE = {
  parts: ["array"], lastId: ["string"], ending: [], error: ["string", "null"], "parts.0": [], "parts.0.type": [], "parts.0.text": ["string"], "parts.1.id": ["string"],
  "parts.1.stage": [], "parts.1.blocks": ["array"], "parts.1.blocks.0": [], "parts.1.blocks.0.content": ["string"], "parts.1.results": ["array"], "parts.1.results.0": [],
  "parts.2.message": ["string"], "parts.2.count": ["number"], "parts.3.status": ["null"], "parts.3.preview": ["object", "null"], "parts.3.lost": ["object", "null"],
};

test("what is no message is refused at once, whatever is wrong with it, and says what to give", async () => {
  const results = [{ id: "b1.1", ok: true, text: "t" }];
  serves((_, response) => sse(response).end(text(0) + block(1) + event("json-tool-result", results[0], "2-1") + event("raw", "{", "3-1").replace("raw", "text") + held(4, "b2") + text(5)));
  const { message } = await shown({ retries: 0 }).until(closed);
  const kept = JSON.parse(JSON.stringify(message));
  assert.deepEqual(kept.parts.map(({ type }) => type), ["text", "tool", "error", "tool", "text"]);
  assert.deepEqual(new GuardedStream(null, { message: kept }).getSnapshot().message, kept);
  const wrong = [{}, [], 5, "m", true, () => {}, { parts: [] }, message.parts[1]];
  const kind = (value) => (Array.isArray(value) ? "array" : value == null ? "null" : typeof value);
  for (const [path, kinds] of Object.entries(MAY_BE))
    for (const value of [5, true, {}, [], "odd", null, undefined])
      if (!kinds.includes(kind(value))) wrong.push(spoilt(kept, path.split("."), value));
      else new GuardedStream(null, { message: spoilt(kept, path.split("."), value) });
  for (const given of wrong)
    assert.throws(() => new GuardedStream("/s", { message: given }), { name: "TypeError", message: /^message is no message: give what / }, JSON.stringify(given));
});

const held = (n, id = "b1") => event("json-tool-status", { id, status: "held", toolType: "delete_file", path: "a" }, `${n}-1`);
const stages = ({ message }) => [message.ending, ...message.parts.map((part) => part.stage ?? part.text)];
const NAMED = { toolType: "delete_file", path: "a" };

test("a block is lost when the reading is given up, however, and held while it connects again", async () => {
  const ways = {
    "breaks off": (response) => sse(response).end(text(0) + held(1)),
    "refused when it comes back": (response) => (served.asked.length === 1 ? sse(response).end(text(0) + held(1)) : response.writeHead(410).end()),
    "no more of it": (response) => (served.asked.length === 1 ? sse(response).end(text(0) + held(1)) : response.writeHead(204).end()),
  };
  for (const [name, way] of Object.entries(ways)) {
    serves((_, response) => way(response));
    const seen = [];
    const { until, leave } = shown({ retries: name === "breaks off" ? 0 : 2 });
    const now = await until((one) => (seen.push([one.state, ...stages(one)]), closed(one) && one.error));
    assert.deepEqual([stages(now), now.message.parts[1].lost, now.message.parts[1].status], [["lost", "é0", "lost"], NAMED, null], name);
    for (const [state, ending, , stage] of seen) if (state !== "closed") assert.ok(ending === "running" && stage !== "lost", name);
    leave();
  }
});

test("a block that was lost is held again, and comes, where the stream is read on, also from a message that was kept", async () => {
  for (const how of ["resume", "kept", "status"]) {
    const rest = block(2, { id: "b1" }) + done(3);
    serves((_, response) => (served.asked.length === 1 ? sse(response).end(text(0) + held(1)) : sse(response).end(how === "status" ? held(2) : rest)));
    const first = shown({ retries: 0 });
    const lost = (await first.until((one) => closed(one) && one.error)).message;
    assert.equal(lost.ending, "lost");
    if (how === "kept") {
      const { until } = shown({ message: JSON.parse(JSON.stringify(lost)) });
      assert.deepEqual(stages(await until(({ message }) => message.ending === "done")), ["done", "é0", "block"]);
    } else {
      first.stream.resume();
      assert.deepEqual(stages(first.stream.getSnapshot()), ["running", "é0", "held"]);
      const now = await first.until((one) => closed(one) && (one.error || one.message.ending === "done"));
      assert.deepEqual(stages(now), how === "resume" ? ["done", "é0", "block"] : ["lost", "é0", "lost"]);
    }
    assert.equal(served.asked[1].after, "1-1");
  }
});

test("resume connects again behind the last event", async () => {
  serves((_, response) => (served.asked.length === 1 ? sse(response).end(text(0)) : sse(response).end(text(1) + done(2))));
  const { stream, until } = shown({ retries: 0 });
  const { error, message } = await until(closed);
  assert.deepEqual([error.kind, message.ending], ["lost", "lost"]);
  stream.resume();
  stream.resume();
  const end = await until(({ message }) => message.ending === "done");
  assert.deepEqual([end.error, end.message.parts, served.asked.length], [null, [{ type: "text", text: "é0é1" }], 2]);
});

test("resume of a reply without ids begins the message anew", async () => {
  serves((_, response) => sse(response).end(event("text", "again") + (served.asked.length === 1 ? "" : event("done", {}))));
  const { stream, until } = shown({}, (init) => fetch(served.url, init));
  await until(closed);
  stream.resume();
  const { message } = await until(({ message }) => message.ending === "done");
  assert.deepEqual(message.parts, [{ type: "text", text: "again" }]);
});

test("a URL whose events have no ids is read once, and again by resume only", async () => {
  let asked = 0;
  const counted = (...given) => (asked++, fetch(...given));
  serves((_, response) => void sse(response).write(event("text", "a")));
  const { stream, leave, until } = shown({ fetch: counted });
  await until(({ message }) => message.parts.length);
  leave();
  const again = stream.subscribe(() => {});
  await new Promise((next) => setImmediate(next)); // a request would begin in a microtask
  assert.deepEqual([asked, stream.getSnapshot().state], [1, "closed"]);
  again();
  stream.resume();
  await new Promise((next) => stream.subscribe(() => stream.getSnapshot().message.parts.length && next()));
  assert.deepEqual([asked, stream.getSnapshot().message.parts[0].text], [2, "a"]);
  stream.subscribe(() => {})();
});

test("stop ends a function's request, and what was held is lost", async () => {
  let open;
  serves((_, response) => (open = sse(response)).write(event("json-tool-status", { id: "s", status: "buffering" }, "0-1")));
  const { stream, until } = shown({}, (init) => fetch(served.url, init));
  await until(({ message }) => message.parts.length);
  const ended = new Promise((over) => open.on("close", over));
  await stream.stop();
  await ended;
  const { message, state } = stream.getSnapshot();
  assert.deepEqual([message.ending, message.parts[0].stage, state], ["stopped", "lost", "closed"]);
});

test("a stream that its server does not stop goes on, and says why", async () => {
  let open;
  serves((request, response) => (request.method === "DELETE" ? response.writeHead(405).end() : (open = sse(response)).write(text(0))));
  const { stream, until } = shown();
  await until(({ message }) => message.lastId);
  await stream.stop();
  assert.deepEqual([stream.getSnapshot().error.status, stream.getSnapshot().state], [405, "open"]);
  open.end(done(1));
  assert.equal((await until(closed)).message.ending, "done");
});

test("a stop that is not answered is told, and the stream goes on", async (context) => {
  for (const heeds of [true, false]) {
    serves((_, response) => sse(response).write(text(0)));
    let asked = () => {};
    const deleted = new Promise((now) => (asked = now));
    const fetched = (url, init) => {
      if (init.method !== "DELETE") return fetch(url, init);
      asked();
      return new Promise((_, reject) => heeds && init.signal.addEventListener("abort", () => reject(init.signal.reason)));
    };
    const { stream, leave, until } = shown({ fetch: fetched });
    await until(({ message }) => message.lastId);
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const stopped = stream.stop();
    await deleted;
    context.mock.timers.tick(15_000);
    await stopped;
    context.mock.timers.reset();
    const { error, state } = stream.getSnapshot();
    assert.deepEqual([error.kind, /does not answer/.test(error.message), state], ["lost", true, "open"]);
    leave();
  }
});

test("without a source nothing is read or stopped, whatever stands for none", async () => {
  serves((_, response) => sse(response).end(text(0) + done(1)));
  const fetch = () => assert.fail("nothing is to be asked for");
  for (const none of [null, undefined, "", false, 0]) {
    const stream = new GuardedStream(none, { fetch });
    const leave = stream.subscribe(() => {});
    stream.resume();
    await stream.stop();
    await new Promise((later) => setTimeout(later, 5));
    assert.deepEqual([stream.getSnapshot().state, stream.getSnapshot().error], ["idle", null]);
    leave();
  }
});

test("nothing is read where nobody has subscribed any more: neither by resume, nor by a stop", async () => {
  serves((request, response) => (request.method === "DELETE" ? response.writeHead(202).end() : sse(response).end(text(parseInt(request.headers["last-event-id"] ?? "0") + 1))));
  const { stream, leave, until } = shown({ retries: 0 });
  await until(({ error }) => error);
  leave();
  const { message } = stream.getSnapshot();
  stream.resume();
  await stream.stop();
  await new Promise((later) => setTimeout(later, 5));
  assert.equal(served.asked.length, 2); // the first reading, and the DELETE
  assert.equal(stream.getSnapshot().message, message);
  const again = new Promise((told) => stream.subscribe(() => stream.getSnapshot().error && told(stream.getSnapshot().message)));
  assert.equal((await again).parts[0].text, "é1é2");
});

test("a stop after the connection was lost reads on to the real end, and runs no call that comes so", async () => {
  const ends = { done: done(4), stopped: event("done", { ending: "stopped" }, "4-1"), interrupted: event("error", { message: "m", ending: "interrupted" }, "4-1") };
  for (const [ending, end] of Object.entries(ends)) {
    let lost = false;
    serves((request, response) => {
      if (request.method === "DELETE") response.writeHead(202).end();
      else if (request.headers["last-event-id"] && lost) sse(response).end(block(2) + text(3) + end);
      else sse(response).end(text(1));
    });
    const ran = [];
    const { stream, until } = shown({ executors: runner(ran), retries: 0 });
    await until(({ error }) => error);
    lost = true;
    await stream.stop();
    const { message, error, state } = stream.getSnapshot();
    assert.deepEqual([message.ending, message.lastId, error, state, ran], [ending, "4-1", null, "closed", []]);
  }
});

for (const status of [202, 404]) {
  test(`no call that comes after a stop is run, whatever the connection does and the server answers: ${status}`, async () => {
    for (const while_ of ["open", "waiting"]) {
      for (const stops of [true, false]) {
        let goOn = () => {};
        let stopped = false;
        serves((request, response) => {
          if (request.method === "DELETE") {
            stopped = true;
            response.writeHead(status).end();
            return void goOn();
          }
          const rest = () => response.end(block(2) + done(3));
          if (request.headers["last-event-id"]) return void (stopped || !stops ? sse(response) && rest() : response.writeHead(503).end());
          sse(response).write(text(1));
          if (while_ === "waiting") response.end();
          else if (stops) goOn = rest;
          else rest();
        });
        const ran = [];
        const { stream, until } = shown({ executors: runner(ran), retries: 1000 });
        await until(({ state, message }) => message.parts.length && state === (stops ? while_ : "closed"));
        if (stops) await stream.stop();
        const { message } = await until(({ state }) => state === "closed");
        assert.deepEqual([message.lastId, ran.length], ["3-1", stops ? 0 : 1], `${while_} ${stops}`);
      }
    }
  });
}

test("a stop after the connection was lost says so where the end does not come", async (context) => {
  for (const silent of [true, false]) {
    let lost = false;
    let opened = () => {};
    const waits = new Promise((now) => (opened = now));
    serves((request, response) => {
      if (request.method === "DELETE") return void response.writeHead(202).end();
      if (!lost) return void sse(response).end(text(1));
      if (!silent) return void response.writeHead(404).end();
      sse(response).write(": still here\n\n");
      opened();
    });
    const { stream, until } = shown({ retries: 0 });
    await until(({ error }) => error);
    lost = true;
    if (silent) context.mock.timers.enable({ apis: ["setTimeout"] });
    const stopped = stream.stop();
    if (silent) {
      await waits;
      context.mock.timers.tick(15_000);
    }
    await stopped;
    context.mock.timers.reset();
    const { message, error, state } = stream.getSnapshot();
    assert.deepEqual([message.ending, error.kind, state], ["stopped", silent ? "lost" : "refused", "closed"]);
  }
});

test("a stop is no end where everybody leaves before it: who comes later reads on", async () => {
  let lost = false;
  let open = () => {};
  const waits = new Promise((now) => (open = now));
  serves((request, response) => {
    if (request.method === "DELETE") return void response.writeHead(202).end();
    if (!lost) return void sse(response).end(text(1));
    sse(response).write(": still here\n\n");
    open();
  });
  const { stream, leave, until } = shown({ retries: 0 });
  await until(({ error }) => error);
  lost = true;
  const stopped = stream.stop();
  await waits;
  leave();
  await stopped;
  assert.equal(stream.getSnapshot().message.ending, "running");
});
