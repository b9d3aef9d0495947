/**
 * A persistent list: adding or replacing an item returns a new list that shares the other items. The cost does not grow with the length.
 *
 * It is a tree of nodes with up to 32 entries each; the items are in the leaves.
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
    /** @type {any[] | undefined} */
    let node = this.#root;
    for (let shift = this.#shift; shift > 0; shift -= BITS) node = node?.[(at >>> shift) & MASK];
    return node?.[at & MASK];
  }

  /**
   * @param {number} at - The index of an item, or where one is added: behind the others, or further on, where nothing stands between.
   * @param {Item} item
   * @returns {Vector<Item>}
   */
  with(at, item) {
    if (at < this.#size) return new Vector(this.#size, this.#shift, set(this.#root, this.#shift, at, item));
    let [root, shift] = [this.#root, this.#shift];
    for (; at >= WIDTH << shift; shift += BITS) root = [root];
    return new Vector(at + 1, shift, set(root, shift, at, item));
  }

  /** @returns {Vector<Item>} */
  withoutLast() {
    return new Vector(this.#size - 1, this.#shift, this.#root);
  }

  /**
   * Returns the items as an array, the same one each time.
   *
   * @returns {Item[]}
   */
  get array() {
    if (!this.#array) {
      let nodes = [this.#root];
      for (let shift = this.#shift; shift > 0; shift -= BITS) nodes = nodes.flat();
      this.#array = /** @type {Item[]} */ (nodes.flat().slice(0, this.#size)); // items behind these were removed
    }
    return this.#array;
  }
}

/**
 * Returns a copy of a node with an item in its place.
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
