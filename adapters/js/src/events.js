// Printed from the Python side by `make docs`; not to be edited.

/** The name of the event with news of a block that is held back. */
export const STATUS = /** @type {const} */ ("json-tool-status");

/** The name of the event with a whole block and its verdict. */
export const BLOCK = /** @type {const} */ ("json-tool-block");

/** The name of the event with the result of a call. */
export const RESULT = /** @type {const} */ ("json-tool-result");

/**
 * One problem of a block or call: its code, its place, and the expected value.
 *
 * @typedef {object} ValidationIssue
 * @property {string} code - The key of the issue in `CODES`.
 * @property {string} message - One sentence for a person, on one line.
 * @property {string} field - The field, dotted and indexed: `search_replace.old_string`, `widgets[2].title`. Empty for the block as a whole. A name that a model made up is cut short and escaped in it; `pointer` has the whole name.
 * @property {string} constraint - The rule that was broken, in JSON Schema's word where it has one: `required`, `type`, `enum` ...
 * @property {unknown} expected - The value that the rule expects, as data.
 * @property {unknown} got - The value in the block, as data; shortened when long.
 * @property {string} [suggestion] - The tool, field or value that was probably meant; only if exactly one is close.
 * @property {"error" | "warning"} severity - Whether the issue keeps the block from passing.
 * @property {string} pointer - The path of the value as a JSON pointer.
 * @property {number} [line] - Line in the body, from 1.
 * @property {number} [column] - Column in that line, in characters, from 1.
 * @property {number} [offset] - Characters from the start of the body.
 */

/**
 * One change made to a block without a model.
 *
 * @typedef {object} AutoFix
 * @property {string} rule - The name of the fix in the catalogue. It is stable; the description may change.
 * @property {"FIELD_MAPPING" | "HTML_WRAPPING" | "METADATA_ADDITION" | "STRUCTURE_CORRECTION" | "SYNTAX_REPAIR" | "VALUE_COERCION"} type - The kind of change.
 * @property {string} description - The change in one sentence.
 * @property {string} path - The field that was changed, dotted; empty for the block as a whole.
 * @property {unknown} before - The text or value of the model: the characters of the body if its syntax was changed, else the value; null if there was none. It is shown so that it differs visibly from `after`: of a long one the part that differs, with `…` where it was cut; a long list or object as JSON; invisible characters as escapes.
 * @property {unknown} after - The characters of the JSON that replaced `before` (empty if something was removed), or the value that replaced it.
 * @property {number} confidence - How sure the fix is, from 0 to 1.
 * @property {"LOSSLESS" | "LIKELY" | "INVENTED"} safety - How much the fix assumes.
 */

/**
 * One attempt to have a block corrected.
 *
 * @typedef {object} Attempt
 * @property {number} number - The number of the attempt, from 1.
 * @property {"accepted" | "invalid" | "unreadable" | "refused" | "failed" | "not_asked"} outcome - The result of the attempt.
 * @property {string} [reason] - Why the reply was not accepted, in a word or two; None if it was accepted, or if issues give the reason.
 * @property {"correct" | "continue"} kind - The task of the model: `continue` asks for the rest of a block that was cut off.
 * @property {number} [inputTokens] - Prompt tokens, if the corrector reported them.
 * @property {number} [outputTokens] - Completion tokens, if the corrector reported them.
 * @property {number} seconds - Duration of the attempt in seconds.
 */

/**
 * The record of the decision about a call that needed an approval.
 *
 * @typedef {object} Approval
 * @property {"allowed" | "edited" | "denied" | "failed" | "unasked"} decision - The result of the request for approval.
 * @property {string} [digest] - The digest of the call that was approved; None if no call was. It reveals a change of the call, but is no signature.
 * @property {string} [reason] - The reason of a refusal.
 * @property {Record<string, unknown>} [before] - The arguments that were asked about; only when they were edited.
 */

/**
 * One hint for one failed call.
 *
 * @typedef {object} RetryHint
 * @property {"invalid_arguments" | "malformed_response" | "truncated" | "unknown_tool" | "not_checked" | "tool_failed" | "denied"} reason - Why the call failed.
 * @property {"correct_call" | "replan" | "finish"} recovery - The proposed action for the model.
 * @property {string} [tool] - The tool that was called, as the model named it.
 * @property {string} problem - The problem in one sentence.
 * @property {string} message - The problem, and what to do about it, in two or three sentences.
 * @property {Array<string>} fields - The fields in question, dotted; three at most.
 * @property {Array<string>} missingFields - The fields among `fields` that were missing.
 * @property {Array<string>} allowedValues - The allowed values; five at most, then `…`.
 * @property {string} [suggestion] - The tool, field or value that was probably meant.
 * @property {string} [pattern] - The pattern that a text must match.
 * @property {number} [minimum] - The smallest allowed number, length or count.
 * @property {number} [maximum] - The largest allowed number, length or count.
 * @property {number} [exclusiveMinimum] - The number that a value must be greater than.
 * @property {number} [exclusiveMaximum] - The number that a value must be less than.
 * @property {string} [format] - The format that a string must have.
 * @property {string} [clarifyingQuestion] - One question; its answer would give what is missing or wrong.
 * @property {Record<string, unknown>} [exampleInput] - The call with placeholders for missing values; None if none is missing.
 */

/**
 * One change of a call's arguments while they are written. Changes only append.
 *
 * @typedef {object} Preview
 * @property {"open" | "text" | "close" | "value"} op - `open`: `value` is an empty text, object or array that grows. `text`: `value` continues the text. `close`: what was opened is whole. `value`: a whole value at once, a string or another value that contains no values; left out for null.
 * @property {string} pointer - The path of the value in the arguments, as a JSON pointer.
 * @property {unknown} value - The empty value, the piece of text, or the whole value; None when it is closed, and for null.
 */

/**
 * The status of a block that is held back (`json-tool-status`).
 *
 * @typedef {object} ToolStatus
 * @property {string} id - The id of the block; its `ToolBlock` has the same id.
 * @property {number} seq - The place of this event among those of the same text, or of the same native call, from 1.
 * @property {"buffering" | "failing" | "validating" | "correcting" | "approving" | "released"} status - The state of the block now.
 * @property {string} [toolType] - The tool as the model named it; set when that string is complete. It is never a guess.
 * @property {string} [path] - The path as the model wrote it; set when that string is complete.
 * @property {number} [attempt] - Which correction is running, from 1; only while `correcting`.
 * @property {number} [maxAttempts] - How many corrections there may be; only while `correcting`.
 * @property {number} [received] - Characters of the body so far; only on progress updates.
 * @property {Array<Preview>} [preview] - The changes of the call's arguments since the last update; only if a preview was asked for. It is provisional until the block has ended: a block that is fixed may have other `arguments`, and its `fixes` say where they differ.
 * @property {Array<ValidationIssue>} [issues] - Why the block cannot pass any more; only while `failing`.
 * @property {string} [callId] - The id of the call that waits for its approval, the `call_id` of its `ToolBlock`; only while `approving`.
 * @property {Record<string, unknown>} [arguments] - The arguments of the call that waits, without private ones and without the `tool` key; only while `approving`.
 * @property {string} [reason] - Why the block was released: `foreign_key`, `unknown_tool`, `no_tool`, `not_an_object`, `not_json` or `guard_error`.
 */

/**
 * One call of a block that has ended, with its verdict (`json-tool-block`). A block of two calls gives two of these.
 *
 * @typedef {object} ToolBlock
 * @property {string} id - The id of the block. Its `ToolStatus` events and all its calls have the same id; `part` tells the calls apart.
 * @property {number} seq - The place of this event among those of the same text, or of the same native call, from 1.
 * @property {string} [tool] - The name of the tool in the block; None if it names none.
 * @property {string} [path] - The path to run it on, or None.
 * @property {Record<string, unknown>} [arguments] - The object in `content`, parsed, its `tool` key included; None when `content` holds no JSON object. `call.arguments`, and the `arguments` of a `ToolStatus`, are without that key.
 * @property {string} content - The fenced block as a front end shows and parses it, in whatever dialect the model wrote it.
 * @property {string} raw - The text of the model from the opener to the closer, unchanged, in its dialect. Empty for every call of a block except the first (where `part` is above 1).
 * @property {boolean} validationPassed - Whether `content` passes the strict parser and the schema. Whether the call may run is `executable`.
 * @property {boolean} corrected - Whether fixes or a model changed the block. A change of its text counts even if the `arguments` stay the same; so it is also true for each block whose outcome is `fixed`.
 * @property {"fixes" | "llm" | "approval"} [correctedBy] - Who changed the block last: fixes, a model (`llm`), or the approver (`approval`). None if nobody did.
 * @property {boolean} executable - Whether to run it: it passed, the model ended it, it has only one reading, and nothing in it is invented. Nothing else may run.
 * @property {"closed" | "stop" | "length" | "disconnect" | "content_filter" | "oversize" | "aborted" | "error"} endCause - The cause of the block's end.
 * @property {Array<ValidationIssue>} found - The issues of the block as the model wrote it.
 * @property {Array<ValidationIssue>} issues - The issues that remain in `content`.
 * @property {Array<AutoFix>} fixes - The changes made without a model, and the values that a model's correction invented.
 * @property {Array<Attempt>} attempts - The attempts to have the block corrected by a model.
 * @property {number} confidence - How sure the changes are, from 0 to 1; 1.0 when nothing was changed.
 * @property {RetryHint} [hint] - The hint for the model when the block failed, or passed with an invented value and is not run.
 * @property {number} part - The number of this call in its block, from 1.
 * @property {number} parts - The number of calls in the block.
 * @property {string} dialect - The dialect in which the model wrote the block: `fence`, a name in `dialects`, or `native` for a native call.
 * @property {Approval} [approval] - The decision about the call, if it needs an approval. Only exactly the approved call can be run.
 * @property {"valid" | "fixed" | "corrected" | "failed"} outcome - The outcome of the block. `valid`: it runs as the model wrote it. `fixed`: it runs as fixes changed it. `corrected`: it runs as a model or an approver changed it. `failed`: it is not `executable`, because it did not pass, was cut off, has two readings, was not approved, or passed only with an invented value.
 */

/**
 * The result of one call of a block, or why it was not run (`json-tool-result`).
 *
 * @typedef {object} ToolResult
 * @property {string} id - The id of the block.
 * @property {number} part - The number of the call in its block, from 1.
 * @property {string} callId - The id of the call in APIs that pair calls and results.
 * @property {boolean} ok - Whether the call was run, and succeeded.
 * @property {string} text - The text for the model: the result, or the problem and what to do about it.
 * @property {string} [tool] - The name of the tool that was called; None if the block names none.
 * @property {unknown} payload - The result as data; of a call that failed, the part of its result that is valid. None when there is none.
 * @property {RetryHint} [hint] - The hint for the model when the call failed.
 */

/**
 * The kind of each member: a type of JSON, or a record above; of a list, that of its items. A member of any kind is
 * left out, and so is which texts there may be: a later version may have others.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, string | readonly [string]>>>>}
 */
export const MEMBERS = {
  ValidationIssue: { code: "string", message: "string", field: "string", constraint: "string", suggestion: "string", severity: "string", pointer: "string", line: "integer", column: "integer", offset: "integer" },
  AutoFix: { rule: "string", type: "string", description: "string", path: "string", confidence: "number", safety: "string" },
  Attempt: { number: "integer", outcome: "string", reason: "string", kind: "string", inputTokens: "integer", outputTokens: "integer", seconds: "number" },
  Approval: { decision: "string", digest: "string", reason: "string", before: "object" },
  RetryHint: { reason: "string", recovery: "string", tool: "string", problem: "string", message: "string", fields: ["string"], missingFields: ["string"], allowedValues: ["string"], suggestion: "string", pattern: "string", minimum: "number", maximum: "number", exclusiveMinimum: "number", exclusiveMaximum: "number", format: "string", clarifyingQuestion: "string", exampleInput: "object" },
  Preview: { op: "string", pointer: "string" },
  ToolStatus: { id: "string", seq: "integer", status: "string", toolType: "string", path: "string", attempt: "integer", maxAttempts: "integer", received: "integer", preview: ["Preview"], issues: ["ValidationIssue"], callId: "string", arguments: "object", reason: "string" },
  ToolBlock: { id: "string", seq: "integer", tool: "string", path: "string", arguments: "object", content: "string", raw: "string", validationPassed: "boolean", corrected: "boolean", correctedBy: "string", executable: "boolean", endCause: "string", found: ["ValidationIssue"], issues: ["ValidationIssue"], fixes: ["AutoFix"], attempts: ["Attempt"], confidence: "number", hint: "RetryHint", part: "integer", parts: "integer", dialect: "string", approval: "Approval", outcome: "string" },
  ToolResult: { id: "string", part: "integer", callId: "string", ok: "boolean", text: "string", tool: "string", hint: "RetryHint" },
};

/**
 * What comes from a stream: text, news of a block, a block, the result of a call, and how it ended.
 *
 * @typedef {{ id?: string } & (
 *   | { type: "text", data: string }
 *   | { type: "json-tool-status", data: ToolStatus }
 *   | { type: "json-tool-block", data: ToolBlock }
 *   | { type: "json-tool-result", data: ToolResult }
 *   | { type: "done", data: { ending?: "done" | "stopped" } }
 *   | { type: "error", data: { message: string, ending?: "failed" | "interrupted" } }
 *   | { type: "malformed", data: { name: string, message: string } }
 * )} StreamEvent
 *
 * `malformed` comes from no server: it is what the client makes of an event that it cannot read.
 */
