import { StreamError, follow } from "./follow.js";
import { report } from "./report.js";

/** @import { StreamEvent } from "./events.js" */
/** @import { FollowOptions, StreamSource } from "./follow.js" */

/**
 * Reads a stream and calls `onEvent` for its events. After a lost connection it reconnects, as `followEvents` does.
 *
 * @param {StreamSource} source
 * @param {FollowOptions & {
 *   onEvent: (event: StreamEvent) => void,
 *   onState?: (state: "open" | "waiting" | "closed", error?: StreamError) => void,
 *   onError?: (error: StreamError) => void,
 * }} options - `onEvent`: every event, in order; after `done` or `error` there are none. `onState`: the state of the connection, with
 *   the error that ended it; `closed` is final. `onError`: the error that ended the reading before the stream's end, with the `status` of
 *   the response if there was one; and an error for each event that cannot be read (`malformed`), after which reading goes on.
 * @returns {{ close(): void }}
 */
export function connect(source, { onEvent, onState = () => {}, onError = () => {}, signal, ...options }) {
  const leaving = new AbortController();
  let closed = false;

  /** @param {() => void} call */
  const safely = (call) => {
    try {
      call();
    } catch (error) {
      report(error); // an error in a callback does not keep the next events from it
    }
  };
  /** @param {StreamError} [error] */
  const close = (error) => {
    if (closed) return;
    closed = true;
    signal?.removeEventListener("abort", leave);
    leaving.abort();
    safely(() => onState("closed", error));
  };
  const leave = () => close();
  if (signal?.aborted) leave();
  signal?.addEventListener("abort", leave);

  const hooks = {
    open: () => safely(() => onState("open")),
    waiting: (/** @type {StreamError} */ error) => safely(() => onState("waiting", error)),
  };
  const listen = async () => {
    try {
      for await (const event of follow(source, { ...options, signal: leaving.signal }, hooks)) {
        if (closed) return;
        if (event.type === "done" || event.type === "error") close();
        safely(() => onEvent(event));
        if (event.type === "malformed") safely(() => onError(new StreamError("malformed", event.data.message)));
      }
      close();
    } catch (cause) {
      if (closed) return;
      const error = cause instanceof StreamError ? cause : new StreamError("refused", String(cause), { cause });
      close(error);
      safely(() => onError(error));
    }
  };
  listen();
  return { close: () => close() };
}
