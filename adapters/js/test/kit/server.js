/** A server on loopback for tests, and how its streams are read. */

import { createServer } from "node:http";
import { after, before } from "node:test";

export const event = (type, data, id) => `${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${typeof data === "string" && type === "raw" ? data : JSON.stringify(data)}\n\n`;
export const text = (n) => event("text", `é${n}`, `${n}-1`);
export const done = (n) => event("done", {}, `${n}-1`);

/** What answers, and what it was asked: a test sets the one and looks at the other. */
export const served = { url: "", answer: null, asked: [] };

const server = createServer((request, response) => {
  served.asked.push({ after: request.headers["last-event-id"], at: performance.now() });
  served.answer(request, response);
});
before(async () => {
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  served.url = `http://127.0.0.1:${server.address().port}/`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

/** Serve this from now on. */
export function serves(answer) {
  served.asked = [];
  served.answer = answer;
  return served.url;
}

export const sse = (response) => response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });

export async function all(events) {
  const found = [];
  for await (const one of events) found.push(one);
  return found;
}

export const texts = (events) => events.filter(({ type }) => type === "text").map(({ data }) => data);
