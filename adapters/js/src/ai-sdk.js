import { connect } from "./connect.js";
import { sessionStore } from "./executors.js";
import { NO_END, StreamError } from "./follow.js";
import { report } from "./report.js";
import { within } from "./within.js";

/** @import { ChatRequestOptions, ChatTransport, UIMessage, UIMessageChunk } from "ai" with { "resolution-mode": "import" } */
/** @import { StreamEvent } from "./events.js" */
/** @import { RunStore } from "./executors.js" */
/** @import { FollowOptions, StreamSource } from "./follow.js" */

/**
 * What `useChat` asks for, as the default body of the POST has it.
 *
 * @template {UIMessage} UI
 * @typedef {{ id: string, messages: UI[], trigger: "submit-message" | "regenerate-message", messageId: string | undefined }} ChatRequest
 */

/**
 * @template {UIMessage} UI
 * @typedef {Omit<FollowOptions, "signal" | "after"> & {
 *   api?: string,
 *   body?: (request: ChatRequest<UI>) => unknown,
 *   store?: RunStore | null,
 * }} TransportOptions
 *
 * - `api`: where a reply is asked for with a POST ("/streams/").
 * - `body`: returns the body of the POST, as plain data; by default the request itself.
 * - `store`: remembers the stream of each chat, for `resume`: `sessionStorage` by default; null to remember it on this page only. If it
 *   fails, that is reported, and the stream is remembered on this page.
 */

/**
 * A transport for `useChat` of the AI SDK, in front of a backend that sends the guard's events.
 *
 * The POST is answered with a stream of events, or with `{"stream": id}` as by the routes of resumable streams. That stream is read at
 * `api` + id: after a lost connection it is read on, and with `resume` also after a reload, from its beginning.
 *
 * Text arrives as text parts, a block as a part `data-json-tool-block`, the result of its call as `data-json-tool-result`, and what
 * is told of a held block through `onData` only (`data-json-tool-status`). `fromAiSdk` makes events of them again.
 *
 * @template {UIMessage} [UI=UIMessage]
 * @implements {ChatTransport<UI>}
 */
export class GuardedChatTransport {
  /** A stream is read from its beginning when a chat comes back to it. */
  resumeStreamIsReplay = true;
  #api;
  #body;
  #streams;
  #options;
  /** The reply of each chat that was asked for last on this page. @type {Map<string, Reply>} */
  #replies = new Map();

  /** @param {TransportOptions<UI>} [options] */
  constructor({ api = "/streams/", body = (request) => request, store = sessionStore(), ...options } = {}) {
    this.#api = api;
    this.#body = body;
    this.#streams = new Streams(store);
    this.#options = options;
  }

  /**
   * Asks for a reply, and returns its chunks. An abort ends the reading; a resumable stream goes on without it.
   *
   * @param {Parameters<ChatTransport<UI>["sendMessages"]>[0]} request
   * @returns {Promise<ReadableStream<UIMessageChunk>>}
   */
  sendMessages(request) {
    /** @type {Reply} */
    const reply = { answered: Promise.resolve(), asking: new AbortController(), stop: () => false };
    this.#replies.set(request.chatId, reply);
    const chunks = this.#asked(request, reply);
    reply.answered = chunks.catch(() => {});
    return chunks;
  }

  /**
   * @param {Parameters<ChatTransport<UI>["sendMessages"]>[0]} request
   * @param {Reply} reply
   * @returns {Promise<ReadableStream<UIMessageChunk>>}
   */
  async #asked({ chatId, messages, trigger, messageId, abortSignal, headers, body }, reply) {
    const sent = this.#body({ ...body, id: chatId, messages, trigger, messageId });
    const given = this.#headers(headers);
    given.set("content-type", "application/json");
    const { signal } = reply.asking;
    const leave = () => reply.asking.abort(abortSignal?.reason);
    abortSignal?.addEventListener("abort", leave);
    if (abortSignal?.aborted) leave();
    const response = await this.#request(this.#api, { method: "POST", headers: given, body: JSON.stringify(sent), signal });
    if (signal.aborted || !response.ok) {
      response.body?.cancel().catch(() => {});
      signal.throwIfAborted(); // a `fetch` of one's own may not heed it
      throw new StreamError("refused", `The reply was refused: status ${response.status}`, { status: response.status });
    }
    if (!/^application\/json\b/i.test(response.headers.get("content-type") ?? "")) {
      const { chunks, stop } = chunksOf(async () => response, { ...this.#options, signal: abortSignal, retries: 0 });
      reply.stop = stop;
      return chunks;
    }
    const stream = named(await response.text());
    if (!stream) {
      const { status } = response;
      throw new StreamError("refused", 'The answer to the POST names no stream: send {"stream": id}, or the events', { status });
    }
    await this.#streams.set(chatId, stream);
    return this.#resumable(chatId, stream, headers, abortSignal).chunks;
  }

  /**
   * Returns the chunks of the chat's last stream, from its beginning; null if there is none any more.
   *
   * @param {Parameters<ChatTransport<UI>["reconnectToStream"]>[0]} request
   * @returns {Promise<ReadableStream<UIMessageChunk> | null>}
   */
  async reconnectToStream({ chatId, abortSignal, headers }) {
    const stream = await this.#streams.get(chatId);
    if (!stream) return null;
    const { chunks, answered } = this.#resumable(chatId, stream, headers, abortSignal);
    const refused = await answered;
    if (refused === true) return chunks;
    chunks.cancel().catch(() => {});
    if (abortSignal?.aborted) return null; // the stream is there all the same
    if (refused && refused.status !== 404 && refused.status !== 410) throw refused;
    await this.#streams.forget(chatId, stream);
    return null;
  }

  /**
   * Stops the reply of a chat on its server; one that was asked for, and not answered yet, as soon as it is. A reply that came as
   * events is stopped by leaving it. `stop` of `useChat` only ends the reading, and so does leaving the page.
   *
   * It rejects if the server does not stop the reply, or does not answer a request within 15 seconds. A POST that is not answered by then
   * is given up.
   *
   * @param {string} chatId
   */
  async stop(chatId) {
    const late = () => new StreamError("lost", "The reply cannot be stopped: the server does not answer");
    const reply = this.#replies.get(chatId);
    if (reply) {
      await within(late, (signal) => {
        signal.addEventListener("abort", () => reply.asking.abort(signal.reason));
        return reply.answered;
      });
      if (reply.stop()) return;
    }
    const stream = await this.#streams.get(chatId);
    if (!stream) return;
    const init = { method: "DELETE", headers: this.#headers() };
    const { ok, status } = await within(late, (signal) => this.#request(this.#url(stream), { ...init, signal }));
    if (!ok) throw new StreamError("refused", `The reply cannot be stopped: status ${status}`, { status });
  }

  /** @param {string} stream */
  #url(stream) {
    return `${this.#api.replace(/\/$/, "")}/${encodeURIComponent(stream)}`;
  }

  /** @param {HeadersInit} [more] */
  #headers(more) {
    const headers = new Headers(this.#options.headers);
    new Headers(more).forEach((value, name) => headers.set(name, value));
    return headers;
  }

  /**
   * @param {string} url
   * @param {RequestInit} init
   */
  #request(url, init) {
    const { fetch = globalThis.fetch, withCredentials } = this.#options;
    return fetch(url, { ...init, credentials: withCredentials ? "include" : "same-origin" });
  }

  /**
   * @param {string} chatId
   * @param {string} stream
   * @param {HeadersInit | undefined} headers
   * @param {AbortSignal | undefined} signal
   */
  #resumable(chatId, stream, headers, signal) {
    const ended = () => this.#streams.forget(chatId, stream);
    return chunksOf(this.#url(stream), { ...this.#options, headers: this.#headers(headers), signal }, { messageId: stream, ended });
  }
}

/**
 * A reply that was asked for. `answered` is resolved when the POST was answered, or failed; `asking` gives it up. `stop` ends the reading
 * of a reply that came as events, and returns whether there was such a reading.
 *
 * @typedef {{ answered: Promise<unknown>, asking: AbortController, stop: () => boolean }} Reply
 */

/**
 * Returns the id of the stream that the answer to a POST names; an empty text if it names none that can be part of a URL.
 *
 * @param {string} text
 */
function named(text) {
  try {
    const { stream } = Object(JSON.parse(text));
    if (typeof stream !== "string" || stream === "." || stream === "..") return "";
    encodeURIComponent(stream); // throws for half a character
    return stream;
  } catch {
    return "";
  }
}

/** @param {string} chatId */
const keyOf = (chatId) => `stream-guard-client:stream:${chatId}`;

/** The stream of each chat: on this page, and in a store that outlives it. What the store throws is reported, and changes nothing here. */
class Streams {
  /** @type {Map<string, string>} */
  #here = new Map();
  #store;

  /** @param {RunStore | null} store */
  constructor(store) {
    this.#store = store;
  }

  /** @param {string} chatId */
  async get(chatId) {
    return this.#here.get(chatId) ?? (await this.#stored((store) => store.getItem(keyOf(chatId)))) ?? null;
  }

  /**
   * @param {string} chatId
   * @param {string} stream
   */
  async set(chatId, stream) {
    this.#here.set(chatId, stream);
    await this.#stored((store) => store.removeItem(keyOf(chatId))); // an earlier one does not come back where this one finds no room
    await this.#stored((store) => store.setItem(keyOf(chatId), stream));
  }

  /**
   * Forgets a stream, unless the chat has another one by now.
   *
   * @param {string} chatId
   * @param {string} stream
   */
  async forget(chatId, stream) {
    if (this.#here.get(chatId) === stream) this.#here.delete(chatId);
    await this.#stored(async (store) => {
      if ((await store.getItem(keyOf(chatId))) === stream) await store.removeItem(keyOf(chatId));
    });
  }

  /**
   * @template Found
   * @param {(store: RunStore) => Found | Promise<Found>} ask
   * @returns {Promise<Found | undefined>}
   */
  async #stored(ask) {
    try {
      const store = this.#store;
      return store ? await within(() => new Error("The store does not answer"), () => ask(store)) : undefined;
    } catch (error) {
      report(error);
      return undefined;
    }
  }
}

/**
 * Reads a stream as chunks of the AI SDK. `answered` is true once there is a response with events, else why there is none: null when
 * there are no more events, or when the reading was ended. `stop` ends the chunks as stopped, and returns whether they had no end yet.
 *
 * @param {StreamSource} source
 * @param {Omit<FollowOptions, "signal"> & { signal: AbortSignal | undefined }} options
 * @param {{ messageId?: string, ended?: () => Promise<void> }} [more]
 * @returns {{ chunks: ReadableStream<UIMessageChunk>, answered: Promise<true | StreamError | null>, stop: () => boolean }}
 */
function chunksOf(source, { signal, ...options }, { messageId, ended = async () => {} } = {}) {
  const made = new Chunks();
  let finished = false;
  /** @type {{ close(): void } | undefined} */
  let reading;
  /** @type {(answer: true | StreamError | null) => void} */
  let answer;
  /** @type {() => boolean} */
  let stop = () => false;
  const answered = new Promise((resolve) => (answer = resolve));
  const chunks = new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "start", ...(messageId ? { messageId } : {}) });
      reading = connect(source, {
        ...options,
        ...(signal ? { signal } : {}),
        onEvent(event) {
          for (const chunk of made.of(event)) controller.enqueue(chunk);
          if (event.type !== "done" && event.type !== "error") return;
          finished = true;
          controller.close();
          ended();
        },
        onState(state, error) {
          if (state === "open") answer(true);
          if (state !== "closed") return;
          answer(error ?? null);
          if (finished) return; // the event of the end closed the chunks
          finished = true;
          if (error) controller.error(error);
          else if (signal?.aborted) controller.close();
          else controller.error(new StreamError("lost", NO_END, { status: 204 }));
        },
      });
      stop = () => {
        if (finished) return false;
        finished = true;
        for (const chunk of made.of({ type: "done", data: { ending: "stopped" } })) controller.enqueue(chunk);
        controller.close();
        reading?.close();
        return true;
      };
    },
    cancel() {
      finished = true;
      reading?.close();
    },
  });
  return { chunks, answered, stop: () => stop() };
}

/**
 * Returns the chunk of a block or a result. A part with an id that is known takes the place of the other, so each call of a block has its own.
 *
 * @param {Extract<StreamEvent, { type: "json-tool-block" | "json-tool-result" }>} event
 * @returns {UIMessageChunk}
 */
const dataOf = ({ type, data }) => ({ type: `data-${type}`, id: `${data.id}.${data.part}`, data });

/** Makes chunks of events: a data part for each call of a block and each result, and a text part for the text between two blocks. */
class Chunks {
  #texts = 0;
  #open = false;

  /**
   * @param {StreamEvent} event
   * @returns {Generator<UIMessageChunk, void, void>}
   */
  *of(event) {
    const { type, data } = event;
    if (type === "text") {
      if (!this.#open) yield { type: "text-start", id: `text-${++this.#texts}` };
      this.#open = true;
      yield { type: "text-delta", id: `text-${this.#texts}`, delta: data };
      return;
    }
    if (type === "json-tool-status" || type === "malformed") {
      yield { type: `data-${type}`, data, transient: true };
      return;
    }
    if (type === "json-tool-result") {
      yield dataOf(event); // it comes whenever its call has run, also in the middle of a word
      return;
    }
    if (this.#open) yield { type: "text-end", id: `text-${this.#texts}` };
    this.#open = false;
    if (type === "json-tool-block") yield dataOf(event);
    else if (type === "error") yield { type: "error", errorText: data.message };
    else yield data.ending === "stopped" ? { type: "abort" } : { type: "finish" };
  }
}
