import { read } from "./read.js";

/** @import { StreamEvent } from "./events.js" */

const NAMES = ["text", "json-tool-status", "json-tool-block", "done"];

/**
 * Reads a stream with the browser's own EventSource, which comes back by itself after a lost connection and says where it was.
 *
 * The stream's own `error` event shares its name with the browser's for a lost connection; only the stream's has data.
 *
 * @param {string | URL} url
 * @param {object} handlers
 * @param {(event: StreamEvent) => void} handlers.onEvent - Every event, in order. After `done` or `error` there are none.
 * @param {(state: "open" | "waiting" | "closed") => void} [handlers.onState] - Whether there is a connection; `closed` for good.
 * @param {typeof EventSource} [handlers.EventSource] - Another class, where there is none of the browser.
 * @returns {{ close(): void }}
 */
export function connect(url, { onEvent, onState = () => {}, EventSource: Source = globalThis.EventSource }) {
  const source = new Source(url);
  const close = () => {
    if (source.readyState !== Source.CLOSED) onState("closed");
    source.close();
  };
  source.onopen = () => onState("open");

  /** @param {Event} told */
  const heard = (told) => {
    const { type, data, lastEventId } = /** @type {MessageEvent<string>} */ (told);
    if (type === "error" && data === undefined) {
      onState(source.readyState === Source.CLOSED ? "closed" : "waiting");
      return;
    }
    const event = read(type, data, lastEventId);
    if (event.type === "done" || event.type === "error") close();
    onEvent(event);
  };
  for (const name of [...NAMES, "error"]) source.addEventListener(name, heard);
  return { close };
}
