/** @import { Preview } from "./events.js" */

/** The most values inside each other. */
const DEEPEST = 1000;

/** The index of a list. */
const INDEX = /^(0|[1-9]\d*)$/;

/**
 * Returns the arguments of a call after more changes. What was given is not changed, and values that did not change are the same
 * objects. A change of a value that is not there is left out: its beginning was sent before this client read. So is one that would leave
 * a gap in a list, or that is nested deeper than any call.
 *
 * @param {Readonly<Record<string, unknown>>} before
 * @param {readonly Preview[]} changes
 * @returns {Record<string, unknown>}
 */
export function grown(before, changes) {
  let after = before;
  for (const { op, pointer, value } of changes) {
    if (op === "close") continue;
    const keys = pointer.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (keys.length > DEEPEST) continue;
    after = /** @type {Record<string, unknown>} */ (put(after, keys, 0, op === "text" ? (text) => (typeof text === "string" ? text + value : text) : () => value ?? null));
  }
  return after;
}

/**
 * @param {unknown} holder
 * @param {string[]} keys
 * @param {number} depth
 * @param {(value: unknown) => unknown} change
 * @returns {unknown}
 */
function put(holder, keys, depth, change) {
  if (depth === keys.length) return change(holder);
  const key = /** @type {string} */ (keys[depth]);
  const last = depth === keys.length - 1;
  if (Array.isArray(holder)) {
    const index = INDEX.test(key) ? Number(key) : Infinity;
    if (index >= holder.length + Number(last)) return holder;
    const made = put(holder[index], keys, depth + 1, change);
    return made === holder[index] ? holder : Object.assign([...holder], { [index]: made });
  }
  if (typeof holder !== "object" || holder === null) return holder;
  const known = /** @type {Record<string, unknown>} */ (holder);
  if (!last && !Object.hasOwn(known, key)) return holder;
  const there = Object.hasOwn(known, key) ? known[key] : undefined;
  const made = put(there, keys, depth + 1, change);
  return made === there ? holder : { ...known, [key]: made };
}
