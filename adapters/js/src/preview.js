import { Vector } from "./vector.js";

/** @import { Preview } from "./events.js" */

/** The most values inside each other. */
const DEEPEST = 1000;

/** The index of a list. */
const INDEX = /^(0|[1-9]\d*)$/;

/**
 * An object or a list that grows: a change makes another one, at no cost of its length, and what was there before stays as it was. It
 * is made plain when somebody reads it.
 *
 * All that came of one object share the places of its members, so each place is checked against the names of this one.
 */
class Grown {
  #items;
  #names;
  #places;
  /** @type {unknown} */
  #plain;

  /**
   * @param {Vector<unknown>} items - Plain, or grown.
   * @param {Vector<string>} names - The names of the items; of a list there are none.
   * @param {Map<string, number[]> | null} places - Where each name may stand; null for a list.
   */
  constructor(items, names, places) {
    this.#items = items;
    this.#names = names;
    this.#places = places;
  }

  /**
   * Returns a value as one that grows; null for one that holds no others.
   *
   * @param {unknown} value
   * @returns {Grown | null}
   */
  static of(value) {
    if (value instanceof Grown) return value;
    if (typeof value !== "object" || value === null) return null;
    let made = new Grown(new Vector(), new Vector(), Array.isArray(value) ? null : new Map());
    Object.entries(value).forEach(([name, item], at) => (made = made.with(at, name, item)));
    made.#plain = value;
    return made;
  }

  /**
   * Returns where an item stands, or would be added; -1 for a name that a list cannot have.
   *
   * @param {string} name
   */
  placeOf(name) {
    const { size } = this.#items;
    if (!this.#places) return INDEX.test(name) && Number(name) <= size ? Number(name) : -1;
    return this.#places.get(name)?.find((at) => this.#names.get(at) === name) ?? size;
  }

  /**
   * Returns the item at a place; undefined where one would be added.
   *
   * @param {number} at
   */
  get(at) {
    return this.#items.get(at);
  }

  /**
   * @param {number} at
   * @param {string} name
   * @param {unknown} item
   */
  with(at, name, item) {
    const items = this.#items.with(at, item);
    if (!this.#places || at < this.#names.size) return new Grown(items, this.#names, this.#places);
    const known = this.#places.get(name);
    if (!known) this.#places.set(name, [at]);
    else if (!known.includes(at)) known.push(at);
    return new Grown(items, this.#names.with(at, name), this.#places);
  }

  /**
   * Returns it as plain data: the same object each time, and the same objects in it as in what it came of, where nothing changed.
   *
   * @returns {unknown}
   */
  get plain() {
    const { array } = this.#items;
    return (this.#plain ??= this.#places ? Object.fromEntries(this.#names.array.map((name, at) => [name, plainOf(array[at])])) : array.map(plainOf));
  }
}

/**
 * Returns what `grown` returned as plain data.
 *
 * @param {unknown} value
 * @returns {unknown}
 */
export function plainOf(value) {
  return value instanceof Grown ? value.plain : value;
}

/**
 * Returns the arguments of a call after more changes, for `plainOf`. What was given is not changed, and values that did not change are
 * the same objects. A change of a value that is not there is left out: its beginning was sent before this client read. So is one that
 * would leave a gap in a list, or that is nested deeper than any call.
 *
 * @param {unknown} before - Plain data, or what this function returned.
 * @param {readonly Preview[]} changes
 * @returns {unknown}
 */
export function grown(before, changes) {
  let after = before;
  for (const { op, pointer, value } of changes) {
    if (op === "close") continue;
    const names = pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (names.length === 0 || names.length > DEEPEST) continue;
    after = put(after, names, 0, op === "text" ? (text) => (typeof text === "string" ? text + value : text) : () => value ?? null);
  }
  return after;
}

/**
 * @param {unknown} value
 * @param {string[]} names
 * @param {number} depth
 * @param {(value: unknown) => unknown} change
 * @returns {unknown}
 */
function put(value, names, depth, change) {
  if (depth === names.length) return change(value);
  const holder = Grown.of(value);
  const name = /** @type {string} */ (names[depth]);
  const at = holder?.placeOf(name) ?? -1;
  if (!holder || at < 0) return holder ?? value;
  const there = holder.get(at);
  const made = put(there, names, depth + 1, change);
  return made === there ? holder : holder.with(at, name, made);
}
