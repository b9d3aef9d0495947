import assert from "node:assert/strict";
import { test } from "node:test";
import { readUIMessageStream } from "ai";
import { GuardedChatTransport } from "../src/ai-sdk.js";
import { fromAiSdk } from "../src/index.js";
import { done, event, served, serves, sse, text } from "./kit/server.js";

const BLOCK = { id: "b", tool: "delete_file", content: "", executable: false, found: [], issues: [], fixes: [], attempts: [] };
const block = (n, part) => event("json-tool-block", { ...BLOCK, part }, `${n}-1`);
const ASKED = { chatId: "c", trigger: "submit-message", messageId: undefined, messages: [], abortSignal: undefined };

/** A store as `sessionStorage` is one. */
function store(given = {}) {
  const items = new Map(Object.entries(given));
  return { items, getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value), removeItem: (key) => items.delete(key) };
}
const KEY = "stream-guard-client:stream:c";

function transport(more = {}) {
  return new GuardedChatTransport({ api: served.url, wait: 1, store: store(), ...more });
}

async function chunks(stream) {
  const found = [];
  for await (const chunk of stream) found.push(chunk);
  return found;
}

/** Answers a POST with the id of a stream, and a GET with these events. */
function resumable(...answers) {
  serves((request, response) => {
    if (request.method === "POST") response.writeHead(201, { "content-type": "application/json" }).end('{"stream": "s/1"}');
    else sse(response).end(answers.shift());
  });
}

test("a stream is chunks: a text part for each run of text, a data part for each call of a block", async () => {
  resumable(text(0) + text(1) + event("json-tool-status", { id: "b", status: "buffering" }, "2-1") + block(3, 1) + block(4, 2) + text(5) + done(6));
  const found = await chunks(await transport().sendMessages(ASKED));
  assert.deepEqual(
    found.map(({ type, id, messageId, delta, transient }) => [type, id ?? messageId, delta ?? transient].filter((one) => one !== undefined)),
    [
      ["start", "s/1"], ["text-start", "text-1"], ["text-delta", "text-1", "é0"], ["text-delta", "text-1", "é1"],
      ["data-json-tool-status", true], ["text-end", "text-1"], ["data-json-tool-block", "b.1"], ["data-json-tool-block", "b.2"],
      ["text-start", "text-2"], ["text-delta", "text-2", "é5"], ["text-end", "text-2"], ["finish"],
    ],
  );
  assert.equal(fromAiSdk(found[6]).data.part, 1);
});

test("a result leaves the text whole that goes on while its call runs, and a block ends it", async () => {
  const result = event("json-tool-result", { id: "b", part: 1, callId: "c", ok: true, text: "deleted" }, "2-1");
  resumable(block(0, 1) + event("text", "half a ", "1-1") + result + event("text", "word", "3-1") + block(4, 2) + event("text", "and on", "5-1") + done(6));
  let message;
  for await (message of readUIMessageStream({ stream: await transport().sendMessages(ASKED) }));
  assert.deepEqual(message.parts.map(({ type, text, data }) => [type, text ?? data.text ?? data.part]), [
    ["data-json-tool-block", 1], ["text", "half a word"], ["data-json-tool-result", "deleted"], ["data-json-tool-block", 2], ["text", "and on"],
  ]);
});

test("a stream is read on after a lost connection, and forgotten at its end", async () => {
  resumable(text(0), text(1) + done(2));
  const one = transport();
  const kept = store();
  const found = await chunks(await transport({ store: kept }).sendMessages(ASKED));
  assert.equal(found.filter(({ type }) => type === "text-delta").map(({ delta }) => delta).join(""), "é0é1");
  assert.deepEqual(served.asked.map(({ after }) => after), [undefined, undefined, "0-1"]);
  await new Promise((later) => setTimeout(later));
  assert.deepEqual([...kept.items], []);
  assert.equal(await one.reconnectToStream({ chatId: "c" }), null);
});

test("a POST that is answered with events is read once", async () => {
  serves((_, response) => sse(response).end(event("text", "a")));
  const stream = await transport().sendMessages(ASKED);
  await assert.rejects(chunks(stream), { kind: "lost" });
  assert.equal(served.asked.length, 1);
});

test("an error of the stream is an error chunk, and a stop an abort", async () => {
  for (const [end, chunk] of [
    [event("error", { message: "m" }), { type: "error", errorText: "m" }],
    [event("done", { ending: "stopped" }), { type: "abort" }],
  ]) {
    resumable(text(0) + end);
    assert.deepEqual((await chunks(await transport().sendMessages(ASKED))).at(-1), chunk);
  }
});

test("what is refused is an error with its status", async () => {
  serves((_, response) => response.writeHead(401).end());
  await assert.rejects(transport().sendMessages(ASKED), { kind: "refused", status: 401 });
  serves((_, response) => response.writeHead(201, { "content-type": "application/json" }).end("{}"));
  await assert.rejects(transport().sendMessages(ASKED), { kind: "refused" });
});

test("a chat comes back to its stream, and to none that is gone", async () => {
  const kept = store({ [KEY]: "s" });
  serves((_, response) => sse(response).end(text(0) + done(1)));
  assert.equal((await chunks(await transport({ store: kept }).reconnectToStream({ chatId: "c" }))).length, 5);
  for (const status of [204, 404, 410]) {
    kept.items.set(KEY, "s");
    serves((_, response) => response.writeHead(status).end());
    assert.equal(await transport({ store: kept }).reconnectToStream({ chatId: "c" }), null);
    assert.deepEqual([...kept.items], []);
  }
  kept.items.set(KEY, "s");
  serves((_, response) => response.writeHead(401).end());
  await assert.rejects(transport({ store: kept }).reconnectToStream({ chatId: "c" }), { status: 401 });
  assert.equal(kept.items.get(KEY), "s");
});

test("a coming back that is aborted forgets nothing", async () => {
  const kept = store({ [KEY]: "s" });
  const leaving = new AbortController();
  serves(() => leaving.abort());
  assert.equal(await transport({ store: kept }).reconnectToStream({ chatId: "c", abortSignal: leaving.signal }), null);
  assert.equal(kept.items.get(KEY), "s");
});

test("an abort ends the reading, and stops nothing on the server", async () => {
  const methods = [];
  const leaving = new AbortController();
  serves((request, response) => {
    methods.push(request.method);
    if (request.method === "POST") response.writeHead(201, { "content-type": "application/json" }).end('{"stream": "s"}');
    else sse(response).write(text(0));
  });
  const one = transport();
  const reader = (await one.sendMessages({ ...ASKED, abortSignal: leaving.signal })).getReader();
  for (let at = 0; at < 3; at++) await reader.read();
  leaving.abort();
  assert.equal((await reader.read()).done, true);
  assert.deepEqual(methods, ["POST", "GET"]);
});

test("a reply that is stopped before the POST is answered is stopped when it is", async () => {
  const asked = [];
  let answer;
  let reading;
  serves((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method === "POST") answer = () => response.writeHead(201, { "content-type": "application/json" }).end('{"stream": "s"}');
    else if (request.method === "GET") (reading = sse(response)).write(text(1));
    else {
      response.writeHead(202).end();
      (reading ?? assert.fail("it is read")).end(event("done", { ending: "stopped" }, "2-1"));
    }
  });
  const one = transport({ store: null });
  const sent = one.sendMessages(ASKED);
  const stopped = one.stop("c");
  while (!answer) await new Promise((later) => setTimeout(later, 1));
  answer();
  const reader = chunks(await sent);
  await stopped;
  assert.equal((await reader).at(-1).type, "abort");
  assert.deepEqual(asked.sort(), ["DELETE /s", "GET /s", "POST /"]);
});

test("a reply that comes as events is stopped by leaving it, also before the first", async () => {
  for (const early of [true, false]) {
    let left;
    const gone = new Promise((leave) => (left = leave));
    serves((_, response) => {
      sse(response).write(event("text", "a"));
      response.on("close", left);
    });
    const one = transport();
    const sent = one.sendMessages(ASKED);
    const stopped = early ? one.stop("c") : undefined;
    const reader = (await sent).getReader();
    const types = [];
    for (let found; !(found = await reader.read()).done; ) {
      types.push(found.value.type);
      if (found.value.type === "text-delta") await one.stop("c");
    }
    await stopped;
    await gone;
    assert.deepEqual(types, early ? ["start", "abort"] : ["start", "text-start", "text-delta", "text-end", "abort"]);
    await one.stop("c");
    assert.equal(served.asked.length, 1);
  }
});

test("an answer without a reply is an error, and no empty message", async () => {
  for (const resumed of [false, true]) {
    serves((request, response) => {
      if (resumed && request.method === "POST") response.writeHead(201, { "content-type": "application/json" }).end('{"stream": "s"}');
      else response.writeHead(204).end();
    });
    await assert.rejects(chunks(await transport().sendMessages(ASKED)), { kind: "lost", status: 204 });
  }
});

test("an answer that names no stream is refused, and nothing of it is kept", async () => {
  for (const body of ["no json", '{"stream": "\\ud800"}', '{"stream": ".."}', "null", ""]) {
    const kept = store();
    serves((_, response) => response.writeHead(200, { "content-type": "application/json" }).end(body));
    await assert.rejects(transport({ store: kept }).sendMessages(ASKED), { kind: "refused", status: 200 });
    assert.deepEqual([...kept.items], []);
  }
});

test("stop stops the reply on its server, or says why not", async () => {
  const asked = [];
  serves((request, response) => response.writeHead(asked.push(`${request.method} ${request.url}`) === 1 ? 202 : 503).end());
  const one = transport({ store: store({ [KEY]: "s" }) });
  await one.stop("c");
  await assert.rejects(one.stop("c"), { status: 503 });
  await one.stop("another");
  assert.deepEqual(asked, ["DELETE /s", "DELETE /s"]);
});

for (const how of ["throws", "rejects"]) {
  for (const failing of [["getItem"], ["setItem"], ["removeItem"], ["getItem", "setItem", "removeItem"]]) {
    test(`a reply is read, comes back and is stopped on a page whose store ${how}: ${failing}`, async (t) => {
      const told = t.mock.method(console, "error", () => {}); // as the error is reported where there is no page
      const kept = store({ [KEY]: "earlier" });
      const fail = () => {
        if (how === "throws") throw new Error("no");
        return Promise.reject(new Error("no"));
      };
      for (const name of failing) kept[name] = fail;
      const asked = [];
      serves((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        if (request.method === "POST") response.writeHead(201, { "content-type": "application/json" }).end('{"stream": "s"}');
        else if (request.method === "DELETE") response.writeHead(202).end();
        else sse(response).write(text(0));
      });
      const one = transport({ store: kept });
      for (const ask of [() => one.sendMessages(ASKED), () => one.reconnectToStream({ chatId: "c" })]) {
        const reader = (await ask()).getReader();
        for (let at = 0; at < 3; at++) await reader.read();
        await reader.cancel();
      }
      await one.stop("c");
      assert.deepEqual(asked, ["POST /", "GET /s", "GET /s", "DELETE /s"]);
      if (failing.includes("setItem")) assert.ok(told.mock.callCount());
      if (`${failing}` === "setItem") assert.deepEqual([...kept.items], []); // not the one before it
    });
  }
}

test("the body is what the backend expects, and headers of both are sent", async () => {
  let asked;
  serves(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked = [request.headers.a, request.headers.b, request.headers["content-type"], JSON.parse(body)];
    sse(response).end(event("done", {}));
  });
  const body = ({ id, trigger }) => ({ prompt: [id, trigger] });
  await chunks(await transport({ body, headers: { a: "1" } }).sendMessages({ ...ASKED, headers: { b: "2" } }));
  assert.deepEqual(asked, ["1", "2", "application/json", { prompt: ["c", "submit-message"] }]);
});

test("a stop that is not answered is told", async (context) => {
  for (const heeds of [true, false]) {
    let asked = () => {};
    const deleted = new Promise((now) => (asked = now));
    const fetched = (url, init) => {
      asked();
      return new Promise((_, reject) => heeds && init.signal.addEventListener("abort", () => reject(init.signal.reason)));
    };
    const chat = transport({ fetch: fetched, store: store({ [KEY]: "s" }) });
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const stopped = chat.stop("c");
    await deleted;
    context.mock.timers.tick(15_000);
    await assert.rejects(stopped, { kind: "lost", message: /does not answer/ });
    context.mock.timers.reset();
  }
});

test("a stop while the POST has no answer is told, and gives the POST up", async (context) => {
  const never = (signal, heeds) => new Promise((_, reject) => heeds && signal.addEventListener("abort", () => reject(signal.reason)));
  const answers = {
    "no answer": (signal) => never(signal, true),
    "an answer that does not end": async (signal) => new Response(new ReadableStream({ start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)) }), { headers: { "content-type": "application/json" } }),
  };
  for (const [name, answer] of Object.entries(answers)) {
    let asked = () => {};
    const posted = new Promise((now) => (asked = now));
    let given;
    const chat = transport({ fetch: (_, { signal }) => (asked(), (given = signal), answer(signal)) });
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const sent = chat.sendMessages(ASKED);
    await posted;
    const stopped = chat.stop("c");
    context.mock.timers.tick(14_999);
    assert.equal(given.aborted, false, name);
    context.mock.timers.tick(1);
    await assert.rejects(stopped, { kind: "lost", message: /does not answer/ }, name);
    await assert.rejects(sent, { kind: "lost" }, name);
    context.mock.timers.reset();
  }
});

test("a POST that was given up and is answered all the same is no reply", async (context) => {
  let answer;
  let cancelled = false;
  const body = new ReadableStream({ cancel: () => void (cancelled = true) });
  const chat = transport({ fetch: () => new Promise((resolve) => (answer = () => resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })))) });
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const sent = chat.sendMessages(ASKED);
  const stopped = chat.stop("c");
  context.mock.timers.tick(15_000);
  await assert.rejects(stopped, { kind: "lost" });
  answer();
  await assert.rejects(sent, { kind: "lost" });
  assert.ok(cancelled);
});

test("a store that never settles is reported, and keeps no reply from coming", async (context) => {
  const said = context.mock.method(console, "error", () => {});
  const never = () => new Promise(() => {});
  for (const method of ["getItem", "setItem", "removeItem"]) {
    resumable(text(0) + done(1));
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const found = transport({ store: { ...store(), [method]: never } }).sendMessages(ASKED);
    const ticking = setInterval(() => context.mock.timers.tick(15_000), 5);
    const stream = await found;
    clearInterval(ticking);
    context.mock.timers.reset();
    assert.equal((await chunks(stream)).at(-1).type, "finish");
  }
  assert.ok(said.mock.callCount() >= 1);
});
