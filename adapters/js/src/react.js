import { useMemo, useState, useSyncExternalStore } from "react";

import { belonging } from "./belongs.js";
import { GuardedStream } from "./guarded.js";

/** @import { StreamSource } from "./follow.js" */
/** @import { GuardedOptions, Snapshot } from "./guarded.js" */

/**
 * Reads a stream while the component is mounted, and returns what there is to show of it.
 *
 * Another URL begins another stream. A function is called once, however often the component renders: for another request give another
 * `key`. The other options are read when a stream begins; a `message` is of the source that it came with, and no other begins with it.
 *
 * @template [Result=unknown]
 * @param {StreamSource | null} source - A URL, or a function that makes the request; null for none yet.
 * @param {GuardedOptions<Result> & { key?: string | number }} [options]
 * @returns {Snapshot<Result> & Pick<GuardedStream<Result>, "stop" | "resume">}
 */
export function useGuardedStream(source, { key, ...options } = {}) {
  const name = typeof source === "function" ? "function" : source && `url ${source}`;
  const [kept] = useState(belonging);
  const message = kept(name === "function" ? `function ${key}` : name, options.message);
  const stream = useMemo(() => new GuardedStream(source, { ...options, message }), [name, key]);
  const snapshot = useSyncExternalStore(stream.subscribe, stream.getSnapshot, stream.getSnapshot);
  return useMemo(() => ({ ...snapshot, stop: stream.stop, resume: stream.resume }), [stream, snapshot]);
}
