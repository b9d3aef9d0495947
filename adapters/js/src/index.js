/**
 * Reads streams that stream_guard guards. No dependency, no build: a browser takes it as it is.
 *
 *     connect(url) -> events -> reduce(state, event) -> what a page shows
 *                                   block -> JsonToolParser -> calls -> Executors -> completed or failed
 */

export { BLOCK, STATUS } from "./events.js";
export { connect } from "./connect.js";
export { Executors } from "./executors.js";
export { fromAgUi, fromAiSdk } from "./interop.js";
export { JsonToolParser } from "./parser.js";
export { initial, reduce } from "./state.js";

/** @typedef {import("./events.js").StreamEvent} StreamEvent */
/** @typedef {import("./events.js").ToolStatus} ToolStatus */
/** @typedef {import("./events.js").ToolBlock} ToolBlock */
/** @typedef {import("./state.js").Message} Message */
/** @typedef {import("./state.js").Part} Part */
/** @typedef {import("./parser.js").JsonToolCall} JsonToolCall */
