/**
 * Reads server-sent events from pieces of text that are cut anywhere, as a browser's EventSource does.
 *
 * There is one difference, on purpose: an id belongs to the event that has it, and to no later one.
 */

/** @typedef {{ type: string, data: string, id: string | undefined }} ServerSentEvent */

const LINE_END = /\r\n?|\n/g;

/** More than this without an empty line is no event of ours: a block has three copies of at most a few megabytes. */
const LONGEST = 64 * 1024 * 1024;

export class SseReader {
  /** The pieces of a line that has not ended; they are joined once. @type {string[]} */
  #pieces = [];
  /** Whether the last piece ended with a carriage return, so that a line feed now ends nothing. */
  #returned = false;
  /** @type {string[]} */
  #data = [];
  #type = "";
  /** @type {string | undefined} */
  #id;
  /** How much is kept of a line that has not ended, and of an event that has not. */
  #pending = 0;
  #held = 0;

  /** The wait before it reconnects that the server asked for last, in milliseconds. @type {number | undefined} */
  retry;

  /**
   * Returns the events that are complete with this piece.
   *
   * @param {string} piece
   * @returns {ServerSentEvent[]}
   */
  feed(piece) {
    /** @type {ServerSentEvent[]} */
    const events = [];
    let start = 0;
    if (piece && this.#returned) {
      this.#returned = false;
      if (piece[0] === "\n") start = 1;
    }
    LINE_END.lastIndex = start;
    for (let end = LINE_END.exec(piece); end; end = LINE_END.exec(piece)) {
      this.#pieces.push(piece.slice(start, end.index));
      const line = this.#pieces.join("");
      this.#pieces = [];
      this.#pending = 0;
      start = end.index + end[0].length;
      this.#returned = end[0] === "\r" && start === piece.length;
      if (line) this.#field(line);
      else this.#whole(events);
    }
    if (start < piece.length) this.#pieces.push(piece.slice(start));
    this.#pending += piece.length - start;
    if (this.#pending + this.#held > LONGEST) throw new RangeError("an event without an end");
    return events;
  }

  /** @param {string} line */
  #field(line) {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") {
      this.#data.push(value);
      this.#held += value.length + 1;
    } else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }

  /** @param {ServerSentEvent[]} events */
  #whole(events) {
    if (this.#data.length) events.push({ type: this.#type || "message", data: this.#data.join("\n"), id: this.#id });
    this.#data = [];
    this.#type = "";
    this.#id = undefined;
    this.#held = 0;
  }
}
