import { members } from "./json.js";
import { isToolCall } from "./tools.js";

/** @typedef {"detected" | "processing" | "executing" | "completed" | "failed"} CallStatus */

/**
 * @typedef {object} JsonToolCall
 * @property {string} id
 * @property {string} tool
 * @property {string} path - Empty for a tool that takes none.
 * @property {string} [content] - Of `write_file`.
 * @property {{ old_string: string, new_string: string }} [search_replace] - Of `edit_file`.
 * @property {Record<string, unknown>} args - Everything but the tool's name.
 * @property {CallStatus} status
 */

/**
 * Returns whether a value is a whole call of a tool: `isToolCall` of the module that `stream-guard codegen` writes, or one of your own.
 *
 * @typedef {(value: unknown) => boolean} CallGuard
 */

/**
 * Returns whether a value is a whole call of a file tool, on a path inside the workspace.
 *
 * @type {CallGuard}
 */
export function isFileCall(value) {
  return isToolCall(value) && isInside(value.path);
}

/**
 * Returns whether a path stays inside a workspace, whatever system it ends up on: the guard's own rule.
 *
 * @param {string} path
 */
export function isInside(path) {
  const flat = path.replaceAll("\\", "/");
  if (!path || /[\0-\x1f\x7f-\x9f]/.test(path) || (path.startsWith("<") && path.endsWith(">"))) return false;
  if (flat.startsWith("/") || /^[A-Za-z]:/.test(path)) return false;
  return !flat.split("/").some((part) => part.trim() === "..");
}

/**
 * Returns a value as a call; null if it is no plain JSON, or not accepted by the guard.
 *
 * @param {string} id
 * @param {unknown} value
 * @param {CallGuard} guard
 * @returns {JsonToolCall | null}
 */
export function toCall(id, value, guard) {
  if (typeof value !== "object" || value === null || members(value) === null || guard(value) !== true) return null;
  const { tool, ...args } = /** @type {Record<string, unknown>} */ (value);
  if (typeof tool !== "string" || !tool) return null;
  const { path, content, search_replace: edit } = args;
  return {
    id,
    tool,
    path: typeof path === "string" ? path : "",
    ...(typeof content === "string" ? { content } : {}),
    ...(isEdit(edit) ? { search_replace: edit } : {}),
    args,
    status: "detected",
  };
}

/**
 * @param {unknown} value
 * @returns {value is { old_string: string, new_string: string }}
 */
function isEdit(value) {
  if (typeof value !== "object" || value === null) return false;
  const { old_string, new_string } = /** @type {Record<string, unknown>} */ (value);
  return typeof old_string === "string" && typeof new_string === "string";
}
