/** @import { ToolBlock } from "./events.js" */

/** @typedef {"detected" | "processing" | "executing" | "completed" | "failed"} CallStatus */

/**
 * @typedef {object} JsonToolCall
 * @property {string} id
 * @property {string} tool
 * @property {string} path - Empty for a tool that takes none.
 * @property {string} [content] - Of `write_file`.
 * @property {{ old_string: string, new_string: string }} [search_replace] - Of `edit_file`.
 * @property {Record<string, unknown>} args - Everything but the tool's name.
 * @property {CallStatus} status
 */

/**
 * @typedef {object} FoundBlock
 * @property {string} text - The block, its fences with it.
 * @property {string} body - What stands between them.
 * @property {number} start - Where it begins in the text.
 * @property {number} end - Where it ends.
 */

const OPENING = /^ {0,3}(`{3,}|~{3,})[ \t]*json[ \t]*$/;

/**
 * Reads the tool calls in text that was guarded: in the `content` of blocks that passed, in a message that was kept.
 *
 * It mends nothing and guesses nothing. What does not parse is no call; that is the guard's to tell.
 */
export class JsonToolParser {
  /** @type {ReadonlySet<string> | null} */
  #tools;

  /** @param {{ tools?: Iterable<string> | null }} [options] - The tools that are known; null for any. */
  constructor({ tools = ["write_file", "edit_file", "delete_file"] } = {}) {
    this.#tools = tools && new Set(tools);
  }

  /**
   * The fenced json blocks in a text. A block that does not end is none.
   *
   * @param {string} text
   * @returns {FoundBlock[]}
   */
  findJsonToolBlocks(text) {
    /** @type {FoundBlock[]} */
    const found = [];
    /** @type {{ fence: string, start: number, body: number, ours: boolean } | null} */
    let open = null;
    for (const { line, start, end, next } of lines(text)) {
      if (!open) {
        const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
        if (fence) open = { fence, start, body: next, ours: OPENING.test(line) };
      } else if (closes(line, open.fence)) {
        if (open.ours) {
          const body = text.slice(open.body, Math.max(open.body, start));
          found.push({ text: text.slice(open.start, end), body: body.replace(/\r?\n$/, ""), start: open.start, end });
        }
        open = null;
      }
    }
    return found;
  }

  /**
   * The calls in a text, each with an id that the same text gives again.
   *
   * @param {string} text
   * @param {string} [prefix] - What the ids begin with: the message's id, say.
   * @returns {JsonToolCall[]}
   */
  parseJsonTools(text, prefix = "call") {
    const calls = this.findJsonToolBlocks(text).flatMap(({ body }) => this.#calls(body));
    return calls.map((call, index) => ({ id: `${prefix}-${index + 1}`, ...call }));
  }

  /**
   * The call of a block that the guard told; null for one that is not to be run.
   *
   * @param {ToolBlock} block
   * @returns {JsonToolCall | null}
   */
  parseBlock(block) {
    if (!block.executable) return null;
    const [call] = this.findJsonToolBlocks(block.content).flatMap(({ body }) => this.#calls(body));
    return call ? { id: `${block.id}.${block.part}`, ...call } : null;
  }

  /**
   * @param {string} body
   * @returns {Omit<JsonToolCall, "id">[]}
   */
  #calls(body) {
    /** @type {unknown} */
    let value;
    try {
      value = JSON.parse(body);
    } catch {
      return [];
    }
    return (Array.isArray(value) ? value : [value]).flatMap((item) => {
      if (typeof item !== "object" || item === null || typeof item.tool !== "string") return [];
      const { tool, ...args } = item;
      if (this.#tools && !this.#tools.has(tool)) return [];
      const { path, content, search_replace } = args;
      return [
        {
          tool,
          path: typeof path === "string" ? path : "",
          ...(typeof content === "string" ? { content } : {}),
          ...(search_replace && typeof search_replace === "object" ? { search_replace } : {}),
          args,
          status: /** @type {const} */ ("detected"),
        },
      ];
    });
  }
}

/**
 * @param {string} text
 * @returns {Generator<{ line: string, start: number, end: number, next: number }>}
 */
function* lines(text) {
  for (let start = 0; start < text.length; ) {
    const stop = text.indexOf("\n", start);
    const next = stop < 0 ? text.length : stop + 1;
    const end = stop < 0 ? text.length : text[stop - 1] === "\r" ? stop - 1 : stop;
    yield { line: text.slice(start, Math.max(start, end)), start, end, next };
    start = next;
  }
}

/**
 * @param {string} line
 * @param {string} fence
 */
function closes(line, fence) {
  const text = line.trim();
  return text.length >= fence.length && /^ {0,3}\S/.test(line) && [...text].every((char) => char === fence[0]);
}
