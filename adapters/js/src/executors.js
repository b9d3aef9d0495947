/** @import { CallStatus, JsonToolCall } from "./parser.js" */

/**
 * What runs calls: one function for each tool. A call is run once, however often it is handed in.
 *
 *     const executors = new Executors({ onChange: show });
 *     executors.register("write_file", (call) => post("/files", call));
 *     await executors.run(call);
 *
 * @template [Result=unknown]
 */
export class Executors {
  /** @type {Map<string, (call: JsonToolCall) => Result | Promise<Result>>} */
  #executors = new Map();
  /** @type {Map<string, Promise<Outcome<Result>>>} */
  #runs = new Map();
  #onChange;

  /** @param {{ onChange?: (call: JsonToolCall, outcome: Outcome<Result> | null) => void }} [options] */
  constructor({ onChange = () => {} } = {}) {
    this.#onChange = onChange;
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
   * Runs a call, or says what became of it.
   *
   * @param {JsonToolCall} call
   * @returns {Promise<Outcome<Result>>}
   */
  run(call) {
    let run = this.#runs.get(call.id);
    if (!run) this.#runs.set(call.id, (run = this.#run(call)));
    return run;
  }

  /**
   * @param {JsonToolCall} call
   * @returns {Promise<Outcome<Result>>}
   */
  async #run(call) {
    this.#onChange({ ...call, status: "processing" }, null);
    const execute = this.#executors.get(call.tool) ?? this.#executors.get("*");
    /** @type {Outcome<Result>} */
    let outcome;
    if (!execute) {
      outcome = { status: "failed", error: new Error(`nothing runs ${call.tool}`) };
    } else {
      this.#onChange({ ...call, status: "executing" }, null);
      try {
        outcome = { status: "completed", result: await execute(call) };
      } catch (error) {
        outcome = { status: "failed", error: error instanceof Error ? error : new Error(String(error)) };
      }
    }
    this.#onChange({ ...call, status: outcome.status }, outcome);
    return outcome;
  }
}

/**
 * @template Result
 * @typedef {{ status: "completed", result: Result } | { status: "failed", error: Error }} Outcome
 */
