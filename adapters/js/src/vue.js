import { computed, getCurrentInstance, onMounted, onScopeDispose, shallowRef, unref, watch } from "vue";

import { belonging } from "./belongs.js";
import { GuardedStream } from "./guarded.js";

/** @import { ComputedRef, Ref } from "vue" */
/** @import { StreamSource } from "./follow.js" */
/** @import { GuardedOptions, Snapshot } from "./guarded.js" */

/**
 * @template [Result=unknown]
 * @typedef {{ readonly [Name in keyof Snapshot<Result>]: ComputedRef<Snapshot<Result>[Name]> } & Pick<GuardedStream<Result>, "stop" | "resume">} GuardedRefs
 */

/**
 * Reads a stream while the component is mounted, or while the effect scope lives, and returns refs of what there is to show of it.
 *
 * Another value of the ref begins another stream. A function makes the request, and is called once: it is no getter, so a prop is
 * passed as `toRef(props, "source")`. The options are read when a stream begins; a `message` is of the source that it came with, and no
 * other begins with it.
 *
 * @template [Result=unknown]
 * @param {StreamSource | null | Ref<StreamSource | null>} source - A URL, or a function that makes the request; null for none yet; or
 *   a ref of one.
 * @param {GuardedOptions<Result>} [options]
 * @returns {GuardedRefs<Result>}
 */
export function useGuardedStream(source, options = {}) {
  let leave = () => {};
  const kept = belonging();
  /** @param {StreamSource | null} of */
  const made = (of) => new GuardedStream(of, { ...options, message: kept(of instanceof URL ? of.href : of, options.message) });
  let from = unref(source);
  let stream = made(from);
  const snapshot = shallowRef(stream.getSnapshot());
  const show = () => {
    snapshot.value = stream.getSnapshot();
  };
  /** @param {StreamSource | null} of */
  const begin = (of) => {
    leave();
    if (of !== from) {
      from = of;
      stream = made(of);
      show();
    }
    leave = stream.subscribe(show);
  };
  const read = () => {
    begin(unref(source)); // it may have changed since, while the component waited within Suspense
    watch(() => unref(source), begin);
  };
  if (getCurrentInstance()) onMounted(read); // not on a server
  else read();
  onScopeDispose(() => leave());
  return {
    message: computed(() => snapshot.value.message),
    state: computed(() => snapshot.value.state),
    error: computed(() => snapshot.value.error),
    calls: computed(() => snapshot.value.calls),
    stop: () => stream.stop(),
    resume: () => stream.resume(),
  };
}
