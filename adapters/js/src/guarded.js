import { connect } from "./connect.js";
import { Refused, unguarded } from "./executors.js";
import { NO_END, StreamError } from "./follow.js";
import { JsonToolParser } from "./parser.js";
import { report, reporting } from "./report.js";
import { checkMessage, goesOn, initial, readOn, reduce, withoutEnd } from "./state.js";
import { ANSWER, within } from "./within.js";

/** @import { JsonToolCall } from "./calls.js" */
/** @import { StreamEvent, ToolBlock } from "./events.js" */
/** @import { Executors, Outcome } from "./executors.js" */
/** @import { FollowOptions, StreamSource } from "./follow.js" */
/** @import { Message } from "./state.js" */

/**
 * A call of the stream, and its outcome once it has one.
 *
 * @template [Result=unknown]
 * @typedef {{ readonly call: JsonToolCall, readonly outcome: Outcome<Result> | null }} GuardedCall
 */

/**
 * The state of a stream that a user interface shows. A snapshot never changes; a change makes another one.
 *
 * @template [Result=unknown]
 * @typedef {object} Snapshot
 * @property {Message} message - The message so far.
 * @property {"idle" | "connecting" | "open" | "waiting" | "closed"} state - The state of the connection; `idle` without a source, or
 *   before anybody subscribed.
 * @property {StreamError | null} error - The error that ended the connection, or kept the stream from being stopped.
 * @property {readonly GuardedCall<Result>[]} calls - The calls that were given to the executors, in order.
 */

/**
 * @template [Result=unknown]
 * @typedef {Omit<FollowOptions, "signal" | "after"> & { executors?: Executors<Result>, message?: Message | null }} GuardedOptions
 *
 * - `executors`: run the calls of the stream. Without them nothing is run.
 * - `message`: a message that was kept; null for none. The stream goes on behind its last event; calls that are in it are not run.
 */

/**
 * A store of a stream's state that a user interface subscribes to. The hooks for React and Vue use it.
 *
 * Rule 1: it reads while somebody has subscribed, and not before the next microtask. React's strict mode, which subscribes, leaves
 *   and subscribes again, makes one request.
 * Rule 2: a URL is read again, behind the last event, by the next subscriber. One whose last event has no id, and a function, are read
 *   once, and again by `resume` only.
 * Rule 3: executors get a call when its event comes, and never from a message that was kept.
 *
 * @template [Result=unknown]
 */
export class GuardedStream {
  #source;
  #executors;
  #parser;
  #connection;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  /** @type {{ close(): void } | null} */
  #reading = null;
  #begun = false;
  /** Whether it is to be read again, also where it is read once. */
  #resumed = false;
  /** Whether the last event has no id, so that nothing can be read behind it. */
  #unnamed = false;
  #telling = false;
  /** Whether the reply was stopped: what comes then is shown, and not run. */
  #stopped = false;
  /** The message as it was read, while the one that is shown is lost. @type {Message | null} */
  #running = null;
  /** Called when the reading is over, with whether it was left. @type {(left: boolean) => void} */
  #over = () => {};
  /** @type {Snapshot<Result>} */
  #snapshot;

  /**
   * @param {StreamSource | null} source - Null for none yet, and so is whatever else is falsy: nothing is read.
   * @param {GuardedOptions<Result>} [options]
   */
  constructor(source, { executors, message, ...connection } = {}) {
    if (message != null) checkMessage(message);
    this.#source = source || null; // as in `id && url`
    this.#executors = executors;
    this.#parser = executors && new JsonToolParser({ guard: executors.guard });
    this.#connection = connection;
    this.#snapshot = { message: message ?? initial(), state: "idle", error: null, calls: [] };
  }

  /** Returns the snapshot: the same object until something has changed. */
  getSnapshot = () => this.#snapshot;

  /**
   * Calls a function after each change, once for all changes of one task. Returns a function that ends this.
   *
   * @param {() => void} listener
   */
  subscribe = (listener) => {
    this.#listeners.add(listener);
    queueMicrotask(() => {
      const once = this.#unnamed || typeof this.#source === "function";
      if (this.#listeners.size && (this.#resumed || !(this.#begun && once))) this.#open();
    });
    return () => {
      this.#listeners.delete(listener);
      if (!this.#listeners.size) this.#leave();
    };
  };

  /**
   * Connects again after the connection was lost, behind the last event. Without an id of an event the message begins anew.
   *
   * It does nothing while there is a connection, and after the end of the stream. Where nobody has subscribed, the next one who does
   * connects.
   */
  resume = () => {
    if (this.#reading) return;
    if (this.#begun && !this.#snapshot.message.lastId && goesOn(this.#snapshot.message)) {
      this.#running = null;
      this.#show({ message: initial(), calls: [] });
    }
    this.#resumed = true;
    if (this.#listeners.size) this.#open();
  };

  /**
   * Stops the reply. A resumable stream is stopped on its server, with a DELETE to its URL; a function's request is aborted. From now
   * on no call that comes is run, whatever the server answers.
   *
   * If the server does not stop it, or does not answer within 15 seconds, it goes on, and `error` says why. Where the connection was
   * lost before, the reply is read on to its real end, for 15 seconds at most.
   */
  stop = async () => {
    const source = this.#source;
    if (source === null || !goesOn(this.#snapshot.message)) return;
    this.#stopped = true;
    let readsOn = false;
    if (typeof source !== "function") {
      const { headers = {}, withCredentials, fetch = globalThis.fetch } = this.#connection;
      try {
        const credentials = withCredentials ? "include" : "same-origin";
        const { ok, status } = await within(unanswered, (signal) => fetch(source, { method: "DELETE", headers, credentials, signal }));
        if (!ok) throw new StreamError("refused", `The stream cannot be stopped: status ${status}`, { status });
      } catch (cause) {
        const away = "The stream cannot be stopped: the server cannot be reached";
        this.#show({ error: cause instanceof StreamError ? cause : new StreamError("lost", away, { cause }) });
        return;
      }
      if (this.#reading) return; // the end comes as an event, behind what was written before it
      readsOn = this.#begun && !this.#unnamed;
      if (readsOn && (!this.#listeners.size || (await this.#readOn()))) return; // who comes later reads to the end
    }
    const { message, error } = this.#snapshot;
    if (!goesOn(message)) return;
    this.#leave();
    this.#show({ message: reduce(message, { type: "done", data: { ending: "stopped" } }), state: "closed", error: readsOn ? error : null });
  };

  /** Reads behind the last event until the end, or until nothing more comes; then `error` says why. Returns whether everybody left. */
  async #readOn() {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const left = await new Promise((resolve) => {
      this.#over = resolve;
      timer = setTimeout(() => {
        resolve(false);
        this.#leave();
        this.#show({ error: new StreamError("lost", "The stream was stopped, and its end did not come") });
      }, ANSWER);
      this.#open();
    });
    clearTimeout(timer);
    this.#over = () => {};
    return left;
  }

  #open() {
    const { message: shown } = this.#snapshot;
    if (this.#reading || this.#source === null || !goesOn(shown)) return;
    const message = shown.ending === "lost" ? (this.#running ?? readOn(shown)) : shown;
    this.#running = null;
    this.#begun = true;
    this.#resumed = false;
    this.#show({ message, state: "connecting", error: null });
    const reading = connect(this.#source, {
      ...this.#connection,
      after: message.lastId,
      onEvent: (event) => this.#take(event),
      onState: (state, error = undefined) => {
        if (this.#reading !== reading) return; // it was left
        if (state === "closed") this.#reading = null;
        this.#show({ state, error: error ?? null });
        if (state !== "closed") return;
        // The event of the end has come before. Without one the server has no more of a message that has not ended.
        const unended = !error && this.#snapshot.message.ending === "running";
        if (error || unended) this.#lose();
        if (unended) this.#show({ error: new StreamError("lost", NO_END, { status: 204 }) });
        this.#over(false);
      },
    });
    this.#reading = reading;
  }

  /** Nothing more is read of a message without an end: it is shown as lost, and what is held of it too. */
  #lose() {
    const { message } = this.#snapshot;
    if (message.ending !== "running") return;
    this.#running = message;
    this.#show({ message: withoutEnd(message) });
  }

  #leave() {
    const reading = this.#reading;
    if (!reading) return;
    this.#reading = null;
    reading.close();
    this.#show({ state: "closed" });
    this.#over(true);
  }

  /** @param {StreamEvent} event */
  #take(event) {
    const before = this.#snapshot.message;
    const message = reduce(before, event);
    if (message === before) return; // it is known already
    this.#unnamed = !event.id;
    this.#show({ message });
    if (event.type === "json-tool-block") this.#run(event.data);
  }

  /** @param {ToolBlock} block */
  #run(block) {
    if (!this.#executors || this.#stopped) return;
    const call = this.#parser?.parseBlock(block);
    if (!call) {
      if (block.executable && this.#executors.has(block.tool)) report(new Refused(unguarded(block.id)));
      return;
    }
    /** @param {GuardedCall<Result>} made */
    const show = (made) => this.#show({ calls: [...this.#snapshot.calls.filter((known) => known.call.id !== call.id), made] });
    show({ call: { ...call, status: "processing" }, outcome: null });
    this.#executors.run(call).then((outcome) => {
      const calls = this.#snapshot.calls.map((known) =>
        known.call.id === call.id ? { call: { ...call, status: outcome.status }, outcome } : known,
      );
      this.#show({ calls });
    });
  }

  /** @param {Partial<Snapshot<Result>>} change */
  #show(change) {
    this.#snapshot = { ...this.#snapshot, ...change };
    if (this.#telling) return;
    this.#telling = true;
    setTimeout(() => {
      this.#telling = false;
      for (const listener of [...this.#listeners]) reporting(listener);
    });
  }
}

const unanswered = () => new StreamError("lost", "The stream cannot be stopped: the server does not answer");
