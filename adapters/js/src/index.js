/**
 * Reads streams that stream_guard guards. A browser can import this file as it is.
 *
 *     connect(url) -> events -> reduce(state, event) -> what a page shows
 *                                   block -> JsonToolParser -> calls -> Executors -> completed or failed
 */

export { BLOCK, RESULT, STATUS } from "./events.js";
export { isFileCall } from "./calls.js";
export { connect } from "./connect.js";
export { Executors, Refused } from "./executors.js";
export { StreamError, followEvents, guardEvents } from "./follow.js";
export { GuardedStream } from "./guarded.js";
export { fromAgUi, fromAiSdk } from "./interop.js";
export { JsonToolParser } from "./parser.js";
export { read } from "./read.js";
export { initial, reduce } from "./state.js";

/** @typedef {import("./events.js").StreamEvent} StreamEvent */
/** @typedef {import("./events.js").ToolStatus} ToolStatus */
/** @typedef {import("./events.js").ToolBlock} ToolBlock */
/** @typedef {import("./events.js").ToolResult} ToolResult */
/** @typedef {import("./state.js").Message} Message */
/** @typedef {import("./state.js").Part} Part */
/** @typedef {import("./calls.js").JsonToolCall} JsonToolCall */
/** @typedef {import("./calls.js").CallGuard} CallGuard */
/** @typedef {import("./executors.js").RunStore} RunStore */
/** @template [Result=unknown] @typedef {import("./guarded.js").GuardedCall<Result>} GuardedCall */
/** @template [Result=unknown] @typedef {import("./guarded.js").GuardedOptions<Result>} GuardedOptions */
/** @template [Result=unknown] @typedef {import("./guarded.js").Snapshot<Result>} Snapshot */
/** @typedef {import("./follow.js").FollowOptions} FollowOptions */
/** @typedef {import("./follow.js").StreamSource} StreamSource */
