/**
 * Attaches a hidden value to a plain object. Copies of the object do not have it, and the object may be frozen.
 *
 * A WeakMap would do the same at several times the cost in garbage collection.
 */

class Itself {
  /** @param {object} object */
  constructor(object) {
    return object;
  }
}

/** @template Thing */
export class Kept extends Itself {
  /** @type {Thing} */
  #thing;

  /**
   * @param {object} object
   * @param {Thing} thing
   */
  constructor(object, thing) {
    super(object); // so `this` is the object
    this.#thing = thing;
  }

  /**
   * Returns what is kept with an object.
   *
   * @param {object} object
   * @returns {any}
   */
  static of(object) {
    return #thing in object ? object.#thing : undefined;
  }
}
