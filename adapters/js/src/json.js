/**
 * JSON as the guard reads it: what it refuses is refused here too.
 *
 * `JSON.parse` takes the last of two members of one name, makes a member of its own of `__proto__`, and rounds what it cannot hold.
 * Each of these is another call than the one that was written.
 */

/** Deeper than this the guard reads nothing. */
const DEPTH = 200;

const NUMBER = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const HALF = /\p{Surrogate}/u;

/**
 * Returns the value of a JSON text, or undefined if it has none that is exactly what was written.
 *
 * @param {string} text
 * @returns {unknown}
 */
export function readJson(text) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Each member has one colon outside of strings: a value with fewer members had one of them twice.
  const colons = written(text);
  return colons !== null && colons === members(value) ? value : undefined;
}

/**
 * How many members a JSON text writes down; null when it holds a number that would be rounded.
 *
 * @param {string} text
 */
function written(text) {
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = closing(text, at + 1);
    else if (char === 0x3a) colons++;
    else if (char === 0x2d || (char >= 0x30 && char <= 0x39)) {
      NUMBER.lastIndex = at;
      const [number = "", fraction, exponent] = NUMBER.exec(text) ?? [];
      if (!(fraction || exponent ? Number.isFinite(Number(number)) : Number.isSafeInteger(Number(number)))) return null;
      at += Math.max(number.length - 1, 0);
    }
  }
  return colons;
}

/**
 * Where the string ends whose first character stands here; -1 if it does not end.
 *
 * @param {string} text
 * @param {number} at
 */
export function closing(text, at) {
  for (;;) {
    const quote = text.indexOf('"', at);
    let first = quote;
    while (first > at && text.charCodeAt(first - 1) === 0x5c) first--;
    if ((quote - first) % 2 === 0) return quote;
    at = quote + 1;
  }
}

/**
 * How many members there are in a value, at all levels; null for what is no plain JSON value, or one that is not to be trusted.
 *
 * Level by level and not by recursion, so that no depth ends in an error.
 *
 * @param {unknown} value
 * @returns {number | null}
 */
export function members(value) {
  let count = 0;
  /** @type {unknown[]} */
  let level = [value];
  for (let depth = 0; level.length; depth++) {
    /** @type {unknown[]} */
    const deeper = [];
    for (const one of level) {
      if (one === null || typeof one === "boolean") continue;
      if (typeof one === "string") {
        if (HALF.test(one)) return null;
      } else if (typeof one === "number") {
        if (!Number.isFinite(one)) return null;
      } else if (typeof one !== "object" || depth >= DEPTH) {
        return null;
      } else if (Array.isArray(one)) {
        for (const item of one) deeper.push(item);
      } else {
        if (Object.getPrototypeOf(one) !== Object.prototype) return null;
        const keys = Object.keys(one);
        for (const key of keys) {
          if (key === "__proto__" || HALF.test(key)) return null;
          deeper.push(/** @type {Record<string, unknown>} */ (one)[key]);
        }
        count += keys.length;
      }
    }
    level = deeper;
  }
  return count;
}

/**
 * Returns whether a value is an object of JSON.
 *
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
