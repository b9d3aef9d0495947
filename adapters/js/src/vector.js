/**
 * A list that is not changed: one with an item more, or another item, shares all else with it. Both cost the same however long it is.
 *
 * A tree of nodes with up to 32 items each; the items stand in the leaves.
 */

const BITS = 5;
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

/**
 * @template Item
 */
export class Vector {
  #size;
  #shift;
  /** @type {any[]} */
  #root;
  /** @type {Item[] | undefined} */
  #array;

  /**
   * @param {number} [size]
   * @param {number} [shift]
   * @param {any[]} [root]
   */
  constructor(size = 0, shift = 0, root = []) {
    this.#size = size;
    this.#shift = shift;
    this.#root = root;
  }

  get size() {
    return this.#size;
  }

  /**
   * @param {number} at
   * @returns {Item | undefined}
   */
  get(at) {
    if (at < 0 || at >= this.#size) return undefined;
    let node = this.#root;
    for (let shift = this.#shift; shift > 0; shift -= BITS) node = node[(at >>> shift) & MASK];
    return node[at & MASK];
  }

  /**
   * @param {number} at - A place that is there, or the one behind the last.
   * @param {Item} item
   * @returns {Vector<Item>}
   */
  with(at, item) {
    if (at < this.#size) return new Vector(this.#size, this.#shift, set(this.#root, this.#shift, at, item));
    if (at === WIDTH << this.#shift) return new Vector(at + 1, this.#shift + BITS, set([this.#root], this.#shift + BITS, at, item));
    return new Vector(at + 1, this.#shift, set(this.#root, this.#shift, at, item));
  }

  /** @returns {Vector<Item>} */
  withoutLast() {
    return new Vector(this.#size - 1, this.#shift, this.#root);
  }

  /**
   * As an array: the same one each time.
   *
   * @returns {Item[]}
   */
  get array() {
    if (!this.#array) {
      let nodes = [this.#root];
      for (let shift = this.#shift; shift > 0; shift -= BITS) nodes = nodes.flat();
      this.#array = /** @type {Item[]} */ (nodes.flat().slice(0, this.#size)); // behind them there may be some that were taken away
    }
    return this.#array;
  }
}

/**
 * A node with an item in its place.
 *
 * @param {any[] | undefined} node
 * @param {number} shift
 * @param {number} at
 * @param {unknown} item
 * @returns {any[]}
 */
function set(node, shift, at, item) {
  const made = node ? node.slice() : [];
  const place = (at >>> shift) & MASK;
  made[place] = shift > 0 ? set(made[place], shift - BITS, at, item) : item;
  return made;
}
