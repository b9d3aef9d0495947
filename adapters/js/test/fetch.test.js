import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { followEvents, guardEvents } from "../src/fetch.js";

/** Ten events, of which a request gets some, from where it was. */
const EVENTS = Array.from({ length: 10 }, (_, n) => `id: 1-${n}\r\nevent: text\r\ndata: ${JSON.stringify(`é${n}`)}\r\n\r\n`);
const DONE = "id: 1-10\r\nevent: done\r\ndata: {}\r\n\r\n";
let server;
let url;
let asked = [];
let answer;

before(async () => {
  server = createServer((request, response) => {
    asked.push(request.headers["last-event-id"]);
    answer(request, response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => server.close());

const sse = (response) => response.writeHead(200, { "content-type": "text/event-stream" });
const all = async (events) => {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
};
const texts = (events) => events.filter(({ type }) => type === "text").map(({ data }) => data);

test("a response is read, wherever its bytes are cut", async () => {
  answer = async (_, response) => {
    sse(response);
    const bytes = Buffer.from(": ping\r\n\r\n" + "event: other\r\ndata: 1\r\n\r\n" + EVENTS.join("") + DONE);
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7));
      if (at % 70 === 0) await new Promise((next) => setImmediate(next));
    }
    response.end();
  };
  const found = await all(guardEvents(await fetch(url)));
  assert.deepEqual(texts(found), EVENTS.map((_, n) => `é${n}`));
  assert.deepEqual(found.at(-1), { type: "done", data: {}, id: "1-10" });
});

test("a lost connection is taken up where it was: nothing twice, nothing missing", async () => {
  asked = [];
  answer = (request, response) => {
    const from = Number((request.headers["last-event-id"] ?? "1--1").slice(2)) + 1;
    sse(response);
    for (const event of EVENTS.slice(from, from + 3)) response.write(event);
    if (from + 3 >= EVENTS.length) response.end(DONE);
    else setTimeout(() => response.destroy(), 5);
  };
  assert.deepEqual(texts(await all(followEvents(url, { wait: 1 }))), EVENTS.map((_, n) => `é${n}`));
  assert.deepEqual(asked, [undefined, "1-2", "1-5", "1-8"]);
});

test("it gives up where nobody is, and says so", async () => {
  asked = [];
  answer = (_, response) => response.destroy();
  await assert.rejects(all(followEvents(url, { wait: 1, retries: 2 })), /nobody was there/);
  assert.equal(asked.length, 3);
});

test("what is refused is not asked for again", async () => {
  asked = [];
  answer = (_, response) => response.writeHead(404).end();
  await assert.rejects(all(followEvents(url, { wait: 1 })), /status 404/);
  assert.equal(asked.length, 1);
});

test("nothing to resume is an end", async () => {
  answer = (_, response) => response.writeHead(204).end();
  assert.deepEqual(await all(followEvents(url)), []);
});

test("leaving closes the connection", async () => {
  let closed;
  const over = new Promise((done) => (closed = done));
  answer = (request, response) => {
    sse(response).write(EVENTS[0]);
    request.on("close", closed);
  };
  for await (const event of guardEvents(await fetch(url))) {
    assert.equal(event.type, "text");
    break;
  }
  await over;
});

test("a signal ends it", async () => {
  const leaving = new AbortController();
  answer = (_, response) => sse(response).write(EVENTS[0]);
  await assert.rejects(async () => {
    for await (const _ of followEvents(url, { signal: leaving.signal })) leaving.abort();
  }, { name: "AbortError" });
});
