/**
 * Reads streams over fetch: in browsers, service workers, Node, Deno and Bun.
 *
 * A browser's EventSource would reconnect without limit, hide the status, and not see the comments that keep a connection alive.
 *
 * Rule 1: only an event with a greater number in its id than all before it, of the same generation as the one before the connection,
 *   is progress. It connects again without progress `retries` times in a row, and then reading ends.
 * Rule 2: it never reconnects earlier than the server asked for (`retry:`, Retry-After).
 * Rule 3: it never asks again for what has no id: after an event without one, a lost connection is the end of the reading.
 * Rule 4: numbers that are missing between two events of one generation, or before the first event of a stream that is read from its
 *   beginning, are lost ones: it connects again, to get them. Only before an `error`, with which the server says that events are lost,
 *   may some be missing.
 * Rule 5: an abort ends the reading at once, also while it waits.
 */

import { BEGINNING, NAMES, further, furthest, later, read, skips } from "./read.js";
import { SseReader } from "./sse.js";

/** @import { StreamEvent } from "./events.js" */

/** The statuses after which it reconnects. */
const AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The longest wait between two connections, and the longest that a server may ask for, in milliseconds. */
const GROWN = 30_000;
const ASKED = 300_000;

/** The longest time that a timer can have, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** The message where a server has no more (204) of a stream that has not ended. */
export const NO_END = "The server has no more of the stream, and its end did not come";

/** Thrown or reported when a stream, or an event of it, cannot be read. */
export class StreamError extends Error {
  name = "StreamError";

  /**
   * @param {"refused" | "lost" | "malformed"} kind - `refused`: the server does not have the stream, or does not give it to this
   *   request; or the source made no request. `lost`: the server cannot be reached, the connection was lost, or nothing comes.
   *   `malformed`: an event cannot be read.
   * @param {string} message
   * @param {{ status?: number | undefined, retryAfter?: number | undefined, cause?: unknown }} [more]
   */
  constructor(kind, message, { status, retryAfter, cause } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    /** The status of the response, if there was one. */
    this.status = status;
    /** How long the server asked to wait, in milliseconds. */
    this.retryAfter = retryAfter;
  }
}

/**
 * @typedef {object} FollowOptions
 * @property {AbortSignal} [signal] - Ends it at once, with the signal's reason.
 * @property {HeadersInit} [headers]
 * @property {boolean} [withCredentials] - Whether cookies go to another origin, too.
 * @property {string} [after] - The id of the last event that is known already.
 * @property {number} [retries] - How many times in a row it connects again without progress (10 for a URL, 0 for a function): an event
 *   further on, of the same generation of the stream.
 * @property {number} [wait] - The shortest wait before it reconnects, in milliseconds (250; from 0 to 2,147,483,647). It grows, and the server may ask for more.
 * @property {number} [idle] - Milliseconds without a byte after which a connection counts as lost (60,000; 0 for never).
 *   The interval of the server's keep-alive must be shorter.
 * @property {typeof fetch} [fetch]
 */

/**
 * The source of a stream: a URL, or a function that makes the request and returns its response. The function gets the signal, the
 * headers (`Last-Event-ID` among them) and the other settings of the request, and passes them on to `fetch`. It is called once, since
 * another call may begin another reply; with `retries` it is called again after a lost connection. Of a URL, too, the next request may
 * begin another reply, unless its events have ids: after one without an id nothing is asked for again, whatever `retries` is.
 *
 * @typedef {string | URL | ((init: RequestInit & { headers: Headers, signal: AbortSignal }) => Promise<Response>)} StreamSource
 */

/**
 * Yields the events of a response, until the stream ends. Events of other names are left out.
 *
 * Throws StreamError: `refused` for a status or a content type that no stream has, `lost` when it breaks off without an end.
 *
 * @param {Response} response
 * @param {{ signal?: AbortSignal, idle?: number }} [options]
 * @returns {AsyncGenerator<StreamEvent, void, void>}
 */
export async function* guardEvents(response, { signal, idle = 60_000 } = {}) {
  const connection = new Connection(signal, idle);
  try {
    yield* eventsOf(response, connection);
  } catch (error) {
    throw connection.signal.aborted ? connection.signal.reason : error;
  } finally {
    connection.close();
  }
}

/**
 * Yields the events of a resumable stream: after a lost connection it reconnects with the id of the last event.
 *
 * It ends after the stream's own end, and when the server says at once that there is no more (204). It throws StreamError: `refused`
 * for a status that another request would not change (400, 404, 410) and for a function that returns no response, `lost` when the
 * server cannot be reached any more, broke off after an event without an id, or has no more of a stream whose end did not come. It
 * throws TypeError or RangeError, before any request, for a URL, a header or an option that cannot be used.
 *
 * @param {StreamSource} source
 * @param {FollowOptions} [options]
 * @returns {AsyncGenerator<StreamEvent, void, void>}
 */
export function followEvents(source, options) {
  return follow(source, options);
}

/**
 * @param {StreamSource} source
 * @param {FollowOptions} [options]
 * @param {{ open?: () => void, waiting?: (error: StreamError) => void }} [hooks]
 * @returns {AsyncGenerator<StreamEvent, void, void>}
 */
export async function* follow(
  source,
  { signal, headers, withCredentials = false, after = "", retries, wait = 250, idle = 60_000, fetch = globalThis.fetch } = {},
  { open = () => {}, waiting = () => {} } = {},
) {
  const sent = new Headers(headers);
  sent.set("accept", "text/event-stream");
  if (typeof source !== "function") new URL(source, globalThis.location?.href); // throws for what is no URL
  const request = typeof source === "function" ? source : (/** @type {RequestInit} */ init) => fetch(source, init);
  const most = retries ?? (typeof source === "function" ? 0 : 10);
  for (const [name, value] of Object.entries({ retries: most, wait, idle }))
    if (typeof value !== "number" || Number.isNaN(value)) throw new TypeError(`${name} is no number: ${String(value)}`);
  if (wait < 0 || wait > LONGEST) throw new RangeError(`wait cannot be ${wait}: give it milliseconds from 0 to ${LONGEST}`);
  let last = after;
  let unnamed = false; // whether something came behind the last id
  let reached = after; // the id with the greatest number so far, if one has the form of this library's
  let missed = 0;
  let pause = wait;
  for (;;) {
    signal?.throwIfAborted();
    if (last) sent.set("last-event-id", latin(last));
    const connection = new Connection(signal, idle);
    const before = last;
    const beyond = reached;
    connection.last = sent.has("last-event-id") ? last : BEGINNING;
    /** @type {StreamError} */
    let lost;
    try {
      const credentials = withCredentials ? "include" : "same-origin";
      const response = await connection.until(request({ headers: sent, credentials, cache: "no-store", signal: connection.signal }));
      if (typeof response?.status !== "number") throw new StreamError("refused", noResponse(response));
      if (response.status === 204) {
        if (last === after) return;
        throw new StreamError("lost", NO_END, { status: 204 });
      }
      for await (const event of eventsOf(response, connection, open)) {
        const ends = event.type === "done" || event.type === "error";
        if (event.id) {
          if (later(event.id, last)) [last, unnamed] = [event.id, false];
          else if (!ends) continue; // it is known already
          if (!before || further(event.id, beyond)) missed = 0;
          reached = furthest(reached, event.id);
        } else {
          unnamed = true;
        }
        yield event;
        if (ends) return;
      }
      throw new StreamError("lost", "The stream broke off");
    } catch (error) {
      signal?.throwIfAborted();
      const why = connection.signal.aborted ? connection.signal.reason : error;
      lost = why instanceof StreamError ? why : new StreamError("lost", "The server cannot be reached", { cause: why });
    } finally {
      connection.close();
    }
    if (lost.kind !== "lost" || lost.status === 204) throw lost;
    if (connection.retry !== undefined) lost.retryAfter = Math.max(lost.retryAfter ?? 0, connection.retry);
    if (unnamed || missed++ >= most || (lost.retryAfter ?? 0) > ASKED) throw lost;
    pause = Math.max(connection.retry ?? pause, wait);
    waiting(lost);
    const grown = Math.max(pause, Math.min(pause * 2 ** (missed - 1), GROWN));
    await slept(Math.max(grown, lost.retryAfter ?? 0) * (1 + Math.random() / 4), signal); // so that not all clients come at once
  }
}

/**
 * @param {Response} response
 * @param {Connection} connection
 * @param {() => void} [open]
 * @returns {AsyncGenerator<StreamEvent, void, void>}
 */
async function* eventsOf(response, connection, open = () => {}) {
  const { status, body } = response;
  const type = response.headers.get("content-type") ?? "";
  if (status !== 200 || !body || !/^text\/event-stream\s*(;|$)/i.test(type)) {
    body?.cancel().catch(() => {});
    const what = status === 200 ? `it is no event stream${type ? ` but ${type.slice(0, 80)}` : ""}` : `status ${status}`;
    const kind = AGAIN.has(status) ? "lost" : "refused";
    throw new StreamError(kind, `The stream cannot be read: ${what}`, { status, retryAfter: retryAfter(response) });
  }
  open();
  const reader = body.getReader();
  const leave = () => reader.cancel().catch(() => {});
  connection.signal.addEventListener("abort", leave);
  const events = new SseReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await connection.timed(reader.read()).catch((cause) => {
        throw new StreamError("lost", "The connection was lost", { status, cause });
      });
      connection.signal.throwIfAborted();
      if (done) throw new StreamError("lost", "The stream broke off without an end", { status });
      for (const { type, data, id } of events.feed(decoder.decode(value, { stream: true }))) {
        if (id && type !== "error" && skips(id, connection.last)) throw new StreamError("lost", "Events of the stream are missing", { status });
        if (id) connection.last = id;
        if (!NAMES.has(type)) continue;
        const event = read(type, data, id);
        connection.retry = events.retry;
        yield event;
        connection.signal.throwIfAborted();
        if (event.type === "done" || event.type === "error") return;
      }
      connection.retry = events.retry;
    }
  } catch (error) {
    throw error instanceof RangeError ? new StreamError("malformed", "The stream holds an event that does not end", { status }) : error;
  } finally {
    connection.signal.removeEventListener("abort", leave);
    void leave(); // a body of one's own may never settle that
  }
}

/**
 * Returns the message for a function that returned something else than a response, as a getter does.
 *
 * @param {unknown} found
 */
function noResponse(found) {
  const what = found === null ? "null" : typeof found;
  return `The function of the source returned no Response but ${what}: pass a function that makes the request, or the URL itself, in Vue also as a ref`;
}

/** One connection, which a signal or a silence ends. */
class Connection {
  #controller = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Since when it waits for bytes; null while the reader works on those that came. @type {number | null} */
  #since = null;
  #signal;
  #idle;

  /** The id of the last event, also of one that is left out; empty where nobody knows behind which one the response begins. */
  last = "";

  /** The wait before it reconnects that the server asked for, in milliseconds. @type {number | undefined} */
  retry;

  /**
   * @param {AbortSignal | undefined} signal
   * @param {number} idle
   */
  constructor(signal, idle) {
    this.#signal = signal;
    this.#idle = idle;
    signal?.addEventListener("abort", this.#left);
    if (signal?.aborted) this.#left();
    if (idle > 0 && idle < Infinity) this.#watch(idle);
  }

  get signal() {
    return this.#controller.signal;
  }

  #left = () => this.#controller.abort(this.#signal?.reason);

  /** @param {number} after */
  #watch(after) {
    this.#timer = setTimeout(() => {
      const left = this.#since === null ? this.#idle : this.#since + this.#idle - performance.now();
      if (left > 0) this.#watch(left);
      else this.#controller.abort(new StreamError("lost", `No data came for ${this.#idle} milliseconds`));
    }, Math.min(after, LONGEST));
  }

  /**
   * Returns the value of a promise; the time until then counts as silence.
   *
   * @template Found
   * @param {Promise<Found>} promise
   * @returns {Promise<Found>}
   */
  async timed(promise) {
    this.#since = performance.now();
    const found = await promise;
    this.#since = null;
    return found;
  }

  /**
   * Returns a response. Rejects with the reason when the connection ends first.
   *
   * @param {Promise<Response>} response
   * @returns {Promise<Response>}
   */
  until(response) {
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(this.signal.reason);
        response.then(({ body }) => body?.cancel()).catch(() => {});
      };
      if (this.signal.aborted) leave();
      this.signal.addEventListener("abort", leave, { once: true });
      this.timed(response).then((found) => {
        this.signal.removeEventListener("abort", leave);
        resolve(found);
      }, reject);
    });
  }

  close() {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#left);
  }
}

/**
 * Returns how long a server asks to wait, in milliseconds; it may name seconds or a date.
 *
 * @param {Response} response
 */
function retryAfter(response) {
  const asked = response.headers.get("retry-after");
  if (asked === null) return undefined;
  const until = /^\d+$/.test(asked.trim()) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(until, 0);
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
function slept(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, Math.min(milliseconds, LONGEST));
    signal?.addEventListener("abort", leave, { once: true });
  });
}

/**
 * Returns an id as a header may contain it: the bytes of its UTF-8, as a browser sends them.
 *
 * @param {string} id
 */
function latin(id) {
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join("");
}
