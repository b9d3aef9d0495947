import { MEMBERS } from "./events.js";
import { isObject } from "./json.js";

/** @import { StreamEvent } from "./events.js" */

export const NAMES = /** @type {ReadonlySet<string>} */ (new Set(["text", "json-tool-status", "json-tool-block", "json-tool-result", "done", "error"]));

/**
 * Returns the event of a name and a line of JSON. What cannot be read becomes a `malformed` event, and never an error.
 *
 * @param {string} type
 * @param {string} data
 * @param {string} [id]
 * @returns {StreamEvent}
 */
export function read(type, data, id) {
  /** @type {unknown} */
  let value;
  try {
    // A member of this name, whichever of its letters are escaped, would be the prototype of whatever the data is copied into.
    value = /__proto__|\\u00(5f|6f|7[024])/i.test(data) ? JSON.parse(data, (key, item) => (key === "__proto__" ? undefined : item)) : JSON.parse(data);
  } catch {
    // It is undefined, which no event has.
  }
  return checked({ type, data: value, ...(id ? { id } : {}) });
}

/**
 * Returns an event of the guard as it is, and a `malformed` event for anything else.
 *
 * An end that cannot be read is an end all the same.
 *
 * @param {unknown} event
 * @returns {StreamEvent}
 */
export function checked(event) {
  const { type, data, id } = isObject(event) ? event : {};
  const known = typeof id === "string" && id ? { id } : {};
  if (type === "done" && !(isObject(data) && ends(data, "done", "stopped"))) return { type: "error", data: { message: "The stream's end cannot be read" }, ...known };
  if (type === "error" && !(isObject(data) && typeof data.message === "string" && ends(data, "failed", "interrupted"))) {
    const message = isObject(data) && typeof data.message === "string" ? data.message : "The stream failed";
    return { type: "error", data: { message }, ...known };
  }
  if (fits(type, data) && (id === undefined || typeof id === "string")) return /** @type {StreamEvent} */ (event);
  const name = typeof type === "string" ? type.slice(0, 40) : "";
  return { type: "malformed", data: { name, message: `An event cannot be read${name ? `: ${name}` : ""}` }, ...known };
}

/**
 * Returns whether an end names one of these endings, or none.
 *
 * @param {Record<string, unknown>} data
 * @param {...unknown} endings
 */
function ends(data, ...endings) {
  return data.ending === undefined || endings.includes(data.ending);
}

/**
 * What a page relies on in each event: it is there. Other members may be missing, since an earlier or a later version may not have them.
 *
 * @type {Readonly<Record<string, readonly [kind: string, ...needed: string[]]>>}
 */
const NEEDED = {
  "json-tool-status": ["ToolStatus", "id", "status"],
  "json-tool-block": ["ToolBlock", "id", "content", "executable", "found", "issues", "fixes", "attempts"],
  "json-tool-result": ["ToolResult", "id", "ok", "text"],
};

/**
 * Returns whether an event of this name may have this data: all that a page relies on is there, and each member is of its kind.
 *
 * @param {unknown} type
 * @param {unknown} data
 */
function fits(type, data) {
  if (type === "text") return typeof data === "string";
  if (!isObject(data)) return false;
  if (type === "done" || type === "error") return true;
  if (type === "malformed") return typeof data.message === "string";
  if (typeof type !== "string" || !Object.hasOwn(NEEDED, type)) return false;
  const [kind, ...needed] = /** @type {[string, ...string[]]} */ (NEEDED[type]);
  return needed.every((name) => data[name] !== undefined) && isOf(kind, data) && (data.preview === undefined || /** @type {unknown[]} */ (data.preview).every(isChange));
}

/**
 * Returns whether a value is of a kind: a type of JSON, or an object whose members are of theirs.
 *
 * @param {string} kind
 * @param {unknown} value
 * @returns {boolean}
 */
function isOf(kind, value) {
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "string" || kind === "number" || kind === "boolean") return typeof value === kind;
  if (!isObject(value)) return false;
  return Object.entries(MEMBERS[kind] ?? {}).every(([name, of]) => {
    const member = value[name];
    if (member === undefined) return true;
    return typeof of === "string" ? isOf(of, member) : Array.isArray(member) && member.every((item) => isOf(of[0], item));
  });
}

/**
 * Returns whether a value is a change of a preview: a text goes on with a text, and a value that comes at once holds no others.
 *
 * @param {unknown} change
 */
function isChange(change) {
  if (!isObject(change) || typeof change.pointer !== "string") return false;
  const { op, value } = change;
  if (op === "close") return true;
  if (op === "text") return typeof value === "string";
  return (op === "open" || op === "value") && (typeof value !== "object" || value === null || Object.keys(value).length === 0);
}

/**
 * Returns whether an id (`number-generation`) is behind another. Of ids of another form, each that is not the same is.
 *
 * @param {string} id
 * @param {string} than
 */
export function later(id, than) {
  const [, ms, number, rest] = ID.exec(id) ?? [];
  const [, thanMs, thanNumber, thanRest] = ID.exec(than) ?? [];
  if (!ms || !number || !thanMs || !thanNumber || rest !== thanRest) return id !== than;
  return (compared(ms, thanMs) || compared(number, thanNumber)) > 0;
}

/**
 * Returns whether an id (`number-generation`) is further on in the same generation of a stream; false for ids of another form.
 *
 * @param {string} id
 * @param {string} than
 */
export function further(id, than) {
  const [, number, generation] = OWN.exec(id) ?? [];
  const [, thanNumber, thanGeneration] = OWN.exec(than) ?? [];
  return Boolean(number && thanNumber) && generation === thanGeneration && compared(number ?? "", thanNumber ?? "") > 0;
}

/**
 * Returns the one of two ids that has the greater number, the first one where they are alike; of an id of another form, the first one.
 *
 * @param {string} one
 * @param {string} other
 */
export function furthest(one, other) {
  return OWN.test(other) && (!OWN.test(one) || later(other, one)) ? other : one;
}

/** What stands for the id before the first event of a stream: the numbers of events begin at 1. */
export const BEGINNING = "0";

/**
 * Returns whether numbers are missing between two ids (`number-generation`) of one generation, or before the first one; false for ids
 * of another form. A generation 0 is of no producer: a server's own ids may be like that.
 *
 * @param {string} id
 * @param {string} than
 */
export function skips(id, than) {
  const [, number, generation] = OWN.exec(id) ?? [];
  if (generation === "0" || generation === undefined) return false;
  const before = than === BEGINNING ? `0-${generation}` : than;
  const [, thanNumber] = OWN.exec(before) ?? [];
  return further(id, before) && BigInt(number ?? "") > BigInt(thanNumber ?? "") + 1n;
}

/** The ids of this library's servers. */
const OWN = /^(0|[1-9]\d*)-(0|[1-9]\d*)$/;

// Ids with different text after the numbers cannot be compared.
const ID = /^(\d+)-(\d+)(\D.*)?$/s;

/**
 * Compares numbers of any length.
 *
 * @param {string} one
 * @param {string} other
 */
function compared(one, other) {
  const [left = "", right = ""] = [one, other].map((digits) => digits.replace(/^0+/, ""));
  return left.length - right.length || (left < right ? -1 : Number(left > right));
}
