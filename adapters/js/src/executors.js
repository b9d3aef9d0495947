import { isFileCall, toCall } from "./calls.js";
import { reporting } from "./report.js";
import { within } from "./within.js";

/** @import { CallGuard, JsonToolCall } from "./calls.js" */

/** The error of a call that was not run. An error that an executor throws is another one: that call was run. */
export class Refused extends Error {
  name = "Refused";
}

/** @param {string} id */
export const unguarded = (id) => `Not a whole call of a known tool: ${id}. Tools of your own need their guard: new Executors({ guard })`;

/**
 * Runs calls, with one function for each tool. A call is run once by its id, however often it is given to `run`, also after a reload.
 *
 *     const executors = new Executors({ onChange: show });
 *     executors.register("write_file", (call) => post("/files", call));
 *     await executors.run(call);
 *
 * Rule 1: what is run is a copy of what the guard accepted; anything else is refused, and not remembered.
 * Rule 2: a call is claimed in the store before it is run. One that cannot be claimed, since the store fails or does not answer within
 *   15 seconds, is not run.
 *
 * @template [Result=unknown]
 */
export class Executors {
  /** @type {Map<string, (call: JsonToolCall) => Result | Promise<Result>>} */
  #executors = new Map();
  /** @type {Map<string, { digest: string, outcome: Promise<Outcome<Result>> }>} */
  #runs = new Map();
  #guard;
  #onChange;
  #store;

  /**
   * @param {object} [options]
   * @param {(call: JsonToolCall, outcome: Outcome<Result> | null) => void} [options.onChange] - Called with each status of a call, and with its outcome.
   * @param {CallGuard} [options.guard] - Decides what a whole call is; by default that of the three file tools. Give the same one to the parser.
   * @param {RunStore | null} [options.store] - Remembers which calls ran: `sessionStorage` by default, `localStorage` for
   *   all tabs, or one of your own. Null to remember nothing, because the server does.
   */
  constructor({ onChange = () => {}, guard = isFileCall, store = sessionStore() } = {}) {
    this.#onChange = onChange;
    this.#guard = guard;
    this.#store = store && timed(store);
  }

  /** What decides whether a call is whole. */
  get guard() {
    return this.#guard;
  }

  /**
   * @param {string} tool - `*` for any tool that has none of its own.
   * @param {(call: JsonToolCall) => Result | Promise<Result>} execute - What it returns is the result; what it throws, the failure.
   * @returns {this}
   */
  register(tool, execute) {
    this.#executors.set(tool, execute);
    return this;
  }

  /**
   * Returns whether a function is registered for a tool.
   *
   * @param {string | undefined} tool
   */
  has(tool) {
    return this.#executors.has(tool ?? "*") || this.#executors.has("*");
  }

  /**
   * Runs a call, or returns the outcome that it had. It never rejects.
   *
   * @param {JsonToolCall} call
   * @returns {Promise<Outcome<Result>>}
   */
  async run(call) {
    try {
      const whole = this.#whole(call);
      const digest = digestOf(JSON.stringify([whole.tool, whole.args]));
      let run = this.#runs.get(whole.id);
      if (run && run.digest !== digest) throw another(whole.id);
      if (!run) {
        const execute = this.#executors.get(whole.tool) ?? this.#executors.get("*");
        if (!execute) throw new Refused(`No function is registered for ${whole.tool}: call register`);
        // It is known before it begins: `onChange` may give it to `run` again.
        this.#runs.set(whole.id, (run = { digest, outcome: Promise.resolve().then(() => this.#run(whole, execute, digest)) }));
      }
      return await run.outcome;
    } catch (error) {
      /** @type {Outcome<Result>} */
      const outcome = { status: "failed", error: /** @type {Error} */ (error) };
      if (typeof idOf(call) === "string") this.#notify(call, outcome);
      return outcome;
    }
  }

  /**
   * Forgets that a call was run, so that it can be run again.
   *
   * @param {string} id
   */
  async forget(id) {
    this.#runs.delete(id);
    await this.#store?.removeItem(keyOf(id));
    await unmark(keyOf(id));
  }

  /**
   * Returns a copy of a call, as the guard accepts it. Throws Refused.
   *
   * @param {JsonToolCall} call
   * @returns {JsonToolCall}
   */
  #whole(call) {
    const { id, tool, args } = call ?? {};
    if (typeof id !== "string" || !id) throw new Refused("The call has no id: give it one that no other call has");
    let whole = null;
    try {
      if (!Object.hasOwn(args, "tool")) whole = toCall(id, { ...structuredClone(args), tool }, this.#guard);
    } catch {
      // It is no plain data, or the guard threw.
    }
    if (!whole) throw new Refused(unguarded(id));
    return whole;
  }

  /**
   * @param {JsonToolCall} call
   * @param {(call: JsonToolCall) => Result | Promise<Result>} execute
   * @param {string} digest
   * @returns {Promise<Outcome<Result>>}
   */
  async #run(call, execute, digest) {
    this.#notify({ ...call, status: "processing" }, null);
    const store = this.#store;
    /** @type {Outcome<Result>} */
    let outcome;
    if (!store) {
      outcome = await this.#executed(call, execute);
    } else {
      try {
        outcome = await alone(keyOf(call.id), () => this.#claimed(store, call, execute, digest));
      } catch (error) {
        this.#runs.delete(call.id); // it was not run, and may be later
        throw error;
      }
    }
    this.#notify(call, outcome);
    return outcome;
  }

  /**
   * Claims a call in the store and runs it, or returns the outcome that it had on another page. Throws Refused.
   *
   * @param {RunStore} store
   * @param {JsonToolCall} call
   * @param {(call: JsonToolCall) => Result | Promise<Result>} execute
   * @param {string} digest
   * @returns {Promise<Outcome<Result>>}
   */
  async #claimed(store, call, execute, digest) {
    const key = keyOf(call.id);
    /** @param {object} record */
    const keep = async (record) => store.setItem(key, JSON.stringify({ digest, ...record }));
    let known;
    try {
      known = await store.getItem(key);
      if (ofAllTabs(store) && !settled(known) && (await lately(key))) known = await arriving(store, key);
      if (known === null || known === undefined) await keep({ status: "executing" });
    } catch (cause) {
      if (cause instanceof Refused) throw cause;
      throw new Refused("The store failed, so that the call might run twice: give Executors another store, or null", { cause });
    }
    if (known !== null && known !== undefined) return remembered(known, call.id, digest);
    const outcome = await this.#executed(call, execute);
    if (ofAllTabs(store)) await mark(key);
    // If the result finds no room, the status may; and if not even that, the record of its beginning is there already.
    await keep(plain(outcome)).catch(() => keep({ status: outcome.status }).catch(() => {}));
    return outcome;
  }

  /**
   * @param {JsonToolCall} call
   * @param {(call: JsonToolCall) => Result | Promise<Result>} execute
   * @returns {Promise<Outcome<Result>>}
   */
  async #executed(call, execute) {
    this.#notify({ ...call, status: "executing" }, null);
    try {
      return { status: "completed", result: await execute(call) };
    } catch (error) {
      return { status: "failed", error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /**
   * @param {JsonToolCall} call
   * @param {Outcome<Result> | null} outcome
   */
  #notify(call, outcome) {
    // An error of `onChange` does not change the outcome of a call.
    reporting(() => this.#onChange(outcome ? { ...call, status: outcome.status } : call, outcome));
  }
}

/**
 * Returns the id of a call; undefined where it cannot be read.
 *
 * @param {JsonToolCall} call
 * @returns {unknown}
 */
function idOf(call) {
  try {
    return call?.id;
  } catch {
    return undefined;
  }
}

/** @param {string} id */
const keyOf = (id) => `stream-guard-client:ran:${id}`;

/** @param {string} id */
function another(id) {
  return new Refused(`Another call ran under the id ${id}: give parseJsonTools a prefix of each message's own`);
}

/** The stores that are given, by what `timed` makes of them. @type {WeakMap<RunStore, RunStore>} */
const given = new WeakMap();

/**
 * Returns a store that rejects where the given one does not answer.
 *
 * @param {RunStore} store
 * @returns {RunStore}
 */
function timed(store) {
  const late = () => new Error("The store does not answer");
  const made = {
    getItem: (/** @type {string} */ key) => within(late, () => store.getItem(key)),
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => within(late, () => store.setItem(key, value)),
    removeItem: (/** @type {string} */ key) => within(late, () => store.removeItem(key)),
  };
  given.set(made, store);
  return made;
}

/**
 * Returns whether a store is the browser's `localStorage`.
 *
 * @param {RunStore} store
 */
const ofAllTabs = (store) => given.get(store) === localStore();

/**
 * Returns the outcome of a call that the store remembers. Throws Refused.
 *
 * @template Result
 * @param {string} known
 * @param {string} id
 * @param {string} digest
 * @returns {Outcome<Result>}
 */
function remembered(known, id, digest) {
  /** @type {{ digest?: string, status?: string, result?: Result, message?: string }} */
  let record = {};
  try {
    record = Object(JSON.parse(known));
  } catch {
    // It is no record of an outcome: only its key is taken.
  }
  if (record.digest !== digest) throw another(id);
  if (record.status === "completed") return { status: "completed", result: /** @type {Result} */ (record.result), remembered: true };
  const began = "The call began on another page, or before a reload, and its outcome is not known: call forget(id) only if it had no effect";
  const error = record.status === "failed" ? new Error(record.message ?? "The call failed") : new Refused(began);
  return { status: "failed", error, remembered: true };
}

/**
 * Returns whether a record is that of an outcome, or of something else than a call.
 *
 * @param {string | null | undefined} known
 */
function settled(known) {
  try {
    return known !== null && known !== undefined && Object(JSON.parse(known)).status !== "executing";
  } catch {
    return true;
  }
}

/**
 * Returns the record of a call that ran a moment ago on another page, as soon as this page sees its outcome. Throws Refused if that takes
 * too long: with what this page sees the call might run twice.
 *
 * @param {RunStore} store
 * @param {string} key
 * @returns {Promise<string | null | undefined>}
 */
async function arriving(store, key) {
  for (let waited = 0; waited < LINGER / 2; waited += LOOK) {
    await new Promise((later) => setTimeout(later, LOOK));
    const known = await store.getItem(key);
    if (settled(known)) return known;
  }
  throw new Refused("The call ran on another page a moment ago, and its outcome is not known here yet: call run again");
}

/**
 * Returns an outcome as plain data, for the store.
 *
 * @param {Outcome<unknown>} outcome
 */
function plain(outcome) {
  if (outcome.status === "failed") return { status: outcome.status, message: outcome.error.message };
  return { status: outcome.status, result: outcome.result };
}

/**
 * Returns the browser's `sessionStorage`; null where there is none.
 *
 * @returns {RunStore | null}
 */
export function sessionStore() {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null; // a sandboxed frame has none: calls are remembered until the page is left
  }
}

/**
 * Returns the browser's `localStorage`; null where there is none.
 *
 * @returns {RunStore | null}
 */
function localStore() {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

/**
 * Milliseconds for which a page marks, with a lock, that it ran a call. Another page may see what is kept in `localStorage` with a
 * delay; it sees a lock at once.
 */
const LINGER = 10_000;

/** Milliseconds between two looks for what another page kept. */
const LOOK = 20;

/** @param {string} key */
const markOf = (key) => `${key}:lately`;

/**
 * Marks that this page ran a call: for some seconds, or until it is left.
 *
 * @param {string} key
 * @returns {Promise<void>}
 */
function mark(key) {
  return new Promise((marked) => {
    const kept = async () => {
      marked();
      await new Promise((over) => {
        /** @type {{ unref?: () => void }} */ (setTimeout(over, LINGER)).unref?.(); // a browser's timer has none
      });
    };
    const locks = globalThis.navigator?.locks;
    if (locks) locks.request(markOf(key), { steal: true }, kept).catch(() => marked());
    else marked();
  });
}

/**
 * Takes the mark of a call from whatever page has it.
 *
 * @param {string} key
 */
async function unmark(key) {
  await globalThis.navigator?.locks?.request(markOf(key), { steal: true }, () => {}).catch(() => {});
}

/**
 * Returns whether a page ran a call a moment ago.
 *
 * @param {string} key
 * @returns {Promise<boolean>}
 */
async function lately(key) {
  try {
    return (await globalThis.navigator?.locks?.request(markOf(key), { ifAvailable: true }, (lock) => !lock)) ?? false;
  } catch {
    return false; // a sandboxed frame may not have locks
  }
}

/**
 * Calls a function while no other one is called under the same name: on this page, and where there are locks on all pages of this site.
 *
 * @template Made
 * @param {string} name
 * @param {() => Promise<Made>} act
 * @returns {Promise<Made>}
 */
async function alone(name, act) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return inTurn(name, act);
  let begun = false;
  const once = () => {
    begun = true;
    return act();
  };
  try {
    return await locks.request(name, once);
  } catch (error) {
    if (begun) throw error;
    return inTurn(name, act); // a sandboxed frame may not have locks
  }
}

/** The last one of each name that waits for its turn, or has it. @type {Map<string, Promise<unknown>>} */
const turns = new Map();

/**
 * Calls a function when the one before it on this page, under the same name, is done.
 *
 * @template Made
 * @param {string} name
 * @param {() => Promise<Made>} act
 * @returns {Promise<Made>}
 */
async function inTurn(name, act) {
  const turn = (turns.get(name) ?? Promise.resolve()).then(act, act);
  turns.set(name, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(name) === turn) turns.delete(name);
  }
}

/**
 * Returns a short digest of a text, 53 bits. It is no protection against forgery.
 *
 * @param {string} text
 */
function digestOf(text) {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    one = Math.imul(one ^ char, 2654435761);
    other = Math.imul(other ^ char, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return (4294967296 * (2097151 & other) + (one >>> 0)).toString(36);
}

/**
 * The outcome of a call. `remembered`: it ran on an earlier page; then it has a result if that could be stored.
 *
 * @template Result
 * @typedef {{ remembered?: boolean } & ({ status: "completed", result: Result } | { status: "failed", error: Error })} Outcome
 */

/**
 * Remembers which calls ran: `sessionStorage`, `localStorage`, or an object with the same methods, which may return promises.
 *
 * @typedef {object} RunStore
 * @property {(key: string) => string | null | undefined | Promise<string | null | undefined>} getItem
 * @property {(key: string, value: string) => unknown} setItem
 * @property {(key: string) => unknown} removeItem
 */
