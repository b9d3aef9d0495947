import { isFileCall, toCall } from "./calls.js";
import { report } from "./report.js";

/** @import { CallGuard, JsonToolCall } from "./calls.js" */

/** Why a call was not run. What an executor threw is another error: there the call was run. */
export class Refused extends Error {
  name = "Refused";
}

/**
 * Runs calls: one function for each tool. A call is run once by its id, however often it is handed in, also after a reload.
 *
 *     const executors = new Executors({ onChange: show });
 *     executors.register("write_file", (call) => post("/files", call));
 *     await executors.run(call);
 *
 * Rule 1: what is run is a copy of what the guard took; anything else is refused, and nothing is remembered of it.
 * Rule 2: a call is claimed in the store before it is run. One that cannot be claimed is not run.
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
   * @param {(call: JsonToolCall, outcome: Outcome<Result> | null) => void} [options.onChange] - Told of each status of a call, and of what became of it.
   * @param {CallGuard} [options.guard] - What a whole call is; the three file tools' by default. The same as the parser's.
   * @param {RunStore | null} [options.store] - Where it is remembered what ran: `sessionStorage` by default, `localStorage` for
   *   all tabs, or one of your own. Null where nothing is to be remembered, because the server does it.
   */
  constructor({ onChange = () => {}, guard = isFileCall, store = sessionStore() } = {}) {
    this.#onChange = onChange;
    this.#guard = guard;
    this.#store = store;
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
   * Runs a call, or says what became of it. It never rejects.
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
        if (!execute) throw new Refused(`Nothing runs ${whole.tool}: register a function for it`);
        // It is known before it begins: who is told of it may hand it in again.
        this.#runs.set(whole.id, (run = { digest, outcome: Promise.resolve().then(() => this.#run(whole, execute, digest)) }));
      }
      return await run.outcome;
    } catch (error) {
      /** @type {Outcome<Result>} */
      const outcome = { status: "failed", error: /** @type {Error} */ (error) };
      if (typeof call?.id === "string") this.#tell(call, outcome);
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
  }

  /**
   * A copy of a call, as the guard takes it.
   *
   * @param {JsonToolCall} call
   * @returns {JsonToolCall}
   */
  #whole(call) {
    const { id, tool, args } = call ?? {};
    if (typeof id !== "string" || !id) throw new Refused("This is no call: it has no id");
    let whole = null;
    try {
      if (!Object.hasOwn(args, "tool")) whole = toCall(id, { ...structuredClone(args), tool }, this.#guard);
    } catch {
      // It is no plain data, or the guard failed on it.
    }
    if (!whole) throw new Refused(`This is no whole call of a known tool: ${id}. Tools of your own need their guard: new Executors({ guard })`);
    return whole;
  }

  /**
   * @param {JsonToolCall} call
   * @param {(call: JsonToolCall) => Result | Promise<Result>} execute
   * @param {string} digest
   * @returns {Promise<Outcome<Result>>}
   */
  async #run(call, execute, digest) {
    this.#tell({ ...call, status: "processing" }, null);
    const store = this.#store;
    /** @type {Outcome<Result>} */
    let outcome;
    if (!store) {
      outcome = await this.#executed(call, execute);
    } else {
      try {
        outcome = await alone(keyOf(call.id), () => this.#claimed(store, call, execute, digest));
      } catch (error) {
        this.#runs.delete(call.id); // it was not run: it may be, later
        throw error;
      }
    }
    this.#tell(call, outcome);
    return outcome;
  }

  /**
   * Claims a call in the store and runs it, or says what became of it on another page. Throws Refused.
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
      if (known === null || known === undefined) await keep({ status: "executing" });
    } catch (cause) {
      throw new Refused("What runs cannot be remembered, so it might run twice: give Executors another store, or null", { cause });
    }
    if (known !== null && known !== undefined) return remembered(known, call.id, digest);
    const outcome = await this.#executed(call, execute);
    // Where the result finds no room, that it ran does; and where that finds none either, that it was begun is there already.
    await keep(told(outcome)).catch(() => keep({ status: outcome.status }).catch(() => {}));
    return outcome;
  }

  /**
   * @param {JsonToolCall} call
   * @param {(call: JsonToolCall) => Result | Promise<Result>} execute
   * @returns {Promise<Outcome<Result>>}
   */
  async #executed(call, execute) {
    this.#tell({ ...call, status: "executing" }, null);
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
  #tell(call, outcome) {
    try {
      this.#onChange(outcome ? { ...call, status: outcome.status } : call, outcome);
    } catch (error) {
      report(error); // what is shown goes wrong; what is run does not
    }
  }
}

/** @param {string} id */
const keyOf = (id) => `stream-guard-client:ran:${id}`;

/** @param {string} id */
function another(id) {
  return new Refused(`Another call ran under the id ${id}: give parseJsonTools a prefix of each message's own`);
}

/**
 * What the store knows of a call.
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
    // Somebody else's: nothing is known of the call but that its place is taken.
  }
  if (record.digest !== digest) throw another(id);
  if (record.status === "completed") return { status: "completed", result: /** @type {Result} */ (record.result), remembered: true };
  const began = "It was begun on a page that is gone, and what came of it is not known: look, then forget(id) to run it again";
  const error = record.status === "failed" ? new Error(record.message ?? "It failed") : new Refused(began);
  return { status: "failed", error, remembered: true };
}

/**
 * An outcome as it is stored.
 *
 * @param {Outcome<unknown>} outcome
 */
function told(outcome) {
  if (outcome.status === "failed") return { status: outcome.status, message: outcome.error.message };
  return { status: outcome.status, result: outcome.result };
}

/** @returns {RunStore | null} */
function sessionStore() {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null; // a sandboxed frame has none: what ran is known as long as the page is there
  }
}

/**
 * Does something while no other page of this site does it under this name.
 *
 * @template Made
 * @param {string} name
 * @param {() => Promise<Made>} act
 * @returns {Promise<Made>}
 */
async function alone(name, act) {
  const locks = globalThis.navigator?.locks;
  if (!locks) return act();
  let begun = false;
  const once = () => {
    begun = true;
    return act();
  };
  try {
    return await locks.request(name, once);
  } catch (error) {
    if (begun) throw error;
    return act(); // a sandboxed frame may ask for none
  }
}

/**
 * A short name for a text: 53 bits that tell texts apart. No secret.
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
 * What became of a call. `remembered` when it ran on a page before this one: then a result is there if it could be stored.
 *
 * @template Result
 * @typedef {{ remembered?: boolean } & ({ status: "completed", result: Result } | { status: "failed", error: Error })} Outcome
 */

/**
 * Where it is remembered what ran. `sessionStorage` and `localStorage` are such, and so is what answers with promises.
 *
 * @typedef {object} RunStore
 * @property {(key: string) => string | null | undefined | Promise<string | null | undefined>} getItem
 * @property {(key: string, value: string) => unknown} setItem
 * @property {(key: string) => unknown} removeItem
 */
