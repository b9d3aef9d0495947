import { StreamError, follow } from "./follow.js";
import { reporting } from "./report.js";

/** @import { StreamEvent } from "./events.js" */
/** @import { FollowOptions, StreamSource } from "./follow.js" */

/**
 * Reads a stream and calls `onEvent` for its events. After a lost connection it reconnects, as `followEvents` does.
 *
 * Rule 1: a callback that throws, or returns a promise that is rejected, is reported, and keeps no later event from any callback.
 * Rule 2: no callback is called before `connect` has returned, unless `close` is called or the signal aborts.
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

  /** @param {StreamError} [error] */
  const close = (error) => {
    if (closed) return;
    closed = true;
    signal?.removeEventListener("abort", leave);
    leaving.abort();
    reporting(() => onState("closed", error));
  };
  const leave = () => close();
  signal?.addEventListener("abort", leave);

  const hooks = {
    open: () => reporting(() => onState("open")),
    waiting: (/** @type {StreamError} */ error) => reporting(() => onState("waiting", error)),
  };
  const listen = async () => {
    await null; // no callback is called before the caller has what this returns
    if (signal?.aborted) leave();
    if (closed) return;
    try {
      for await (const event of follow(source, { ...options, signal: leaving.signal }, hooks)) {
        if (closed) return;
        reporting(() => onEvent(event));
        if (event.type === "done" || event.type === "error") close();
        if (event.type === "malformed") reporting(() => onError(new StreamError("malformed", event.data.message)));
      }
      close();
    } catch (cause) {
      if (closed) return;
      const error = cause instanceof StreamError ? cause : new StreamError("refused", String(cause), { cause });
      close(error);
      reporting(() => onError(error));
    }
  };
  listen();
  return { close: () => close() };
}
