/**
 * The same for fetch: for Node, Deno, Bun and service workers, or where a request needs a body or headers.
 *
 * Needs `eventsource-parser`.
 */

import { EventSourceParserStream } from "eventsource-parser/stream";
import { read } from "./read.js";

/** @import { StreamEvent } from "./events.js" */

const OURS = new Set(["text", "json-tool-status", "json-tool-block", "done", "error"]);

/**
 * The events of a response, until the stream ends. Events of other names are left out.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<StreamEvent, void, void>}
 */
export async function* guardEvents(response) {
  if (!response.ok || !response.body) throw new Error(`the stream cannot be read: status ${response.status}`);
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (!OURS.has(value.event ?? "")) continue;
      const event = read(/** @type {string} */ (value.event), value.data, value.id);
      yield event;
      if (event.type === "done" || event.type === "error") return;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * The events of a stream that can be resumed: after a lost connection it comes back and says where it was.
 *
 * @param {string | URL} url
 * @param {object} [options]
 * @param {AbortSignal} [options.signal] - Ends it.
 * @param {HeadersInit} [options.headers]
 * @param {string} [options.after] - The id of the last event that is known already.
 * @param {number} [options.retries] - How often in a row it may find nobody there (5).
 * @param {number} [options.wait] - How long it waits before it comes back, in milliseconds, doubled each time (250).
 * @param {typeof fetch} [options.fetch]
 * @returns {AsyncGenerator<StreamEvent, void, void>}
 */
export async function* followEvents(url, { signal, headers, after = "", retries = 5, wait = 250, fetch = globalThis.fetch } = {}) {
  let missed = 0;
  for (;;) {
    try {
      const sent = new Headers(headers);
      sent.set("accept", "text/event-stream");
      if (after) sent.set("last-event-id", after);
      const response = await fetch(url, { headers: sent, ...(signal ? { signal } : {}) });
      if (response.status === 204) return;
      if (response.status >= 400 && response.status < 500) throw new Gone(response.status);
      for await (const event of guardEvents(response)) {
        missed = 0;
        after = event.id ?? after;
        yield event;
        if (event.type === "done" || event.type === "error") return;
      }
    } catch (error) {
      if (signal?.aborted || error instanceof Gone) throw error;
      if (missed >= retries) throw new Error(`the stream was lost, and ${retries} times nobody was there`, { cause: error });
    }
    if (missed++ >= retries) throw new Error("the stream ends again and again without an end");
    await new Promise((again) => setTimeout(again, wait * 2 ** Math.min(missed - 1, 6)));
  }
}

class Gone extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`the stream cannot be read: status ${status}`);
    this.status = status;
  }
}
