import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/index.js";
import { done, event, served, serves, sse, text } from "./kit/server.js";

/** A connection, what it told, and a promise of its end. */
function connected(options = {}) {
  const told = { events: [], states: [], errors: [] };
  let end;
  const closed = new Promise((over) => (end = over));
  const connection = connect(options.url ?? served.url, {
    wait: 1,
    retries: 3,
    ...options,
    onEvent: (one) => (told.events.push(one), options.onEvent?.(one, connection)),
    onState: (state, error) => {
      told.states.push(error ? `${state} ${error.status ?? error.kind}` : state);
      if (state === "closed") setImmediate(end);
    },
    onError: (error) => told.errors.push([error.kind, error.status]),
  });
  return { ...told, closed, connection };
}

test("events come with their ids, and the end closes", async () => {
  serves((_, response) => sse(response).end(text(0) + event("json-tool-status", { id: "s", status: "buffering" }, "1-1") + done(2) + text(3)));
  const { events, states, errors, closed } = connected();
  await closed;
  assert.deepEqual(events.map(({ type, id }) => [type, id]), [["text", "0-1"], ["json-tool-status", "1-1"], ["done", "2-1"]]);
  assert.deepEqual([states, errors], [["open", "closed"], []]);
});

test("a lost connection is no event, and a failed stream is one", async () => {
  serves((request, response) => {
    if (served.asked.length === 1) sse(response).end(text(0));
    else sse(response).end(event("error", { message: "m" }, "1-1"));
  });
  const { events, states, errors, closed } = connected();
  await closed;
  assert.deepEqual(events.map(({ type }) => type), ["text", "error"]);
  assert.deepEqual([states, errors], [["open", "waiting 200", "open", "closed"], []]);
  assert.equal(served.asked[1].after, "0-1");
});

test("what is refused is told with its status, once, and not asked for again", async () => {
  for (const status of [400, 404, 410]) {
    serves((_, response) => response.writeHead(status).end());
    const { states, errors, closed } = connected();
    await closed;
    assert.deepEqual([states, errors, served.asked.length], [[`closed ${status}`], [["refused", status]], 1]);
  }
});

test("a server that stays away is told, with its status", async () => {
  serves((_, response) => response.writeHead(503).end());
  const { states, errors, closed } = connected();
  await closed;
  assert.deepEqual([states, errors], [["waiting 503", "waiting 503", "waiting 503", "closed 503"], [["lost", 503]]]);
});

test("204 is an end without an error", async () => {
  serves((_, response) => response.writeHead(204).end());
  const { states, errors, closed } = connected();
  await closed;
  assert.deepEqual([states, errors], [["closed"], []]);
});

test("a bad address is told, and not asked for", async () => {
  const { errors, closed } = connected({ url: "not an address" });
  await closed;
  assert.deepEqual(errors, [["refused", undefined]]);
});

test("an event that cannot be read is an event that says so, and a callback", async () => {
  serves((_, response) => sse(response).end(`event: text\ndata: {\n\n${text(1)}event: error\ndata: plain text\n\n`));
  const { events, errors, closed } = connected();
  await closed;
  assert.deepEqual(events.map(({ type }) => type), ["malformed", "text", "error"]);
  assert.deepEqual(errors, [["malformed", undefined]]);
});

test("it begins behind what is known already", async () => {
  serves((_, response) => sse(response).end(done(9)));
  await connected({ after: "8-1" }).closed;
  assert.equal(served.asked[0].after, "8-1");
});

test("after it is closed nothing is told, not even what has come already", async () => {
  serves((_, response) => sse(response).write(text(0) + text(1) + text(2)));
  const { events, states, closed } = connected({ onEvent: (_, connection) => connection.close() });
  await closed;
  await new Promise((later) => setTimeout(later, 30));
  assert.deepEqual([events.length, states], [1, ["open", "closed"]]);
});

test("a close takes effect at once, wherever it is, and so does a signal", async () => {
  const answers = [() => {}, (_, response) => response.destroy(), (_, response) => sse(response).write(text(0))];
  for (const answer of answers)
    for (const signalled of [true, false]) {
      let asked;
      const reached = new Promise((told) => (asked = told));
      serves((request, response) => (answer(request, response), setTimeout(asked, 20)));
      const leaving = new AbortController();
      const { states, errors, connection } = connected({ wait: 100_000, signal: leaving.signal });
      await reached;
      if (signalled) leaving.abort();
      else connection.close();
      assert.deepEqual([states.at(-1), errors], ["closed", []]);
      connection.close();
      assert.equal(states.filter((state) => state === "closed").length, 1);
    }
});

test("a callback that fails stops nothing, at once or later", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  const broken = () => {
    throw new Error("the page is broken");
  };
  for (const fails of [broken, async () => broken()]) {
    serves((_, response) => sse(response).end(served.asked.length === 1 ? `${text(0)}event: text\nid: 1-1\ndata: {\n\n` : done(2)));
    const told = [];
    const counted = (name) => (...given) => (told.push(given[0]?.type ?? given[0]?.kind ?? given[0] ?? name), fails());
    await new Promise((over) => {
      const onState = (state) => (state === "closed" && setTimeout(over), counted("state")(state));
      connect(served.url, { wait: 1, retries: 3, onEvent: counted("event"), onState, onError: counted("error") });
    });
    assert.deepEqual(told, ["open", "text", "malformed", "malformed", "waiting", "open", "done", "closed"]);
    assert.equal(said.mock.callCount(), told.length);
    said.mock.resetCalls();
  }
});

test("no callback is called before the connection is there to be closed", async () => {
  const sources = [() => { throw new Error("no"); }, () => Promise.reject(new Error("no")), "not an address", served.url];
  for (const source of sources)
    for (const signal of [undefined, AbortSignal.abort()]) {
      let connection;
      await new Promise((over) => {
        const there = () => assert.ok(connection);
        const onState = (state) => (there(), state === "closed" && over());
        connection = connect(source, { wait: 1, retries: 1, ...(signal ? { signal } : {}), onEvent: there, onError: there, onState });
      });
    }
});
