// Printed from the Python side by `make docs`; not to be edited.

/**
 * Whether a value is an object with these members and no other.
 *
 * @param {unknown} value
 * @param {string[]} members
 * @returns {value is Record<string, unknown>}
 */
function hasOnly(value, members) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.keys(value).every((key) => members.includes(key));
}

/**
 * Create a file, or replace all of its text
 *
 * @typedef {object} WriteFileCall
 * @property {"write_file"} tool
 * @property {string} path - Path of the file, relative to the workspace, with forward slashes
 * @property {string} content - The whole text of the file; may be empty
 */

/** @param {unknown} value @returns {value is WriteFileCall} */
export function isWriteFileCall(value) {
  return (
    hasOnly(value, ["tool", "path", "content"]) &&
    value["tool"] === "write_file" &&
    typeof value["path"] === "string" &&
    typeof value["content"] === "string"
  );
}

/**
 * Delete a file
 *
 * @typedef {object} DeleteFileCall
 * @property {"delete_file"} tool
 * @property {string} path - Path of the file, relative to the workspace, with forward slashes
 */

/** @param {unknown} value @returns {value is DeleteFileCall} */
export function isDeleteFileCall(value) {
  return (
    hasOnly(value, ["tool", "path"]) &&
    value["tool"] === "delete_file" &&
    typeof value["path"] === "string"
  );
}

/**
 * Replace one piece of text in a file
 *
 * @typedef {object} EditFileCall
 * @property {"edit_file"} tool
 * @property {string} path - Path of the file, relative to the workspace, with forward slashes
 * @property {EditFilePayloadSearchReplace} search_replace - What to look for in the file and what to put in its place
 */

/** @param {unknown} value @returns {value is EditFileCall} */
export function isEditFileCall(value) {
  return (
    hasOnly(value, ["tool", "path", "search_replace"]) &&
    value["tool"] === "edit_file" &&
    typeof value["path"] === "string" &&
    isEditFilePayloadSearchReplace(value["search_replace"])
  );
}

/**
 * What to look for in the file and what to put in its place
 *
 * @typedef {object} EditFilePayloadSearchReplace
 * @property {string} old_string - The text to replace, exactly as it stands in the file
 * @property {string} new_string - The text to put in its place
 */

/** @param {unknown} value @returns {value is EditFilePayloadSearchReplace} */
export function isEditFilePayloadSearchReplace(value) {
  return (
    hasOnly(value, ["old_string", "new_string"]) &&
    typeof value["old_string"] === "string" &&
    typeof value["new_string"] === "string"
  );
}

/** @typedef {WriteFileCall | DeleteFileCall | EditFileCall} FileCall */

/** @param {unknown} value @returns {value is FileCall} */
export function isToolCall(value) {
  return (
    isWriteFileCall(value) || isDeleteFileCall(value) || isEditFileCall(value)
  );
}
