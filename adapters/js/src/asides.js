/** What a model does not say in its own turn, or only considers: reasoning, results of tools, and turns of others. A call in it is none. */

const OF = "(?:think|thought|reason)(?![a-z]*(?:er|able|s?ful)(?![a-z]))";
const PART = "[\\w.:\u2581-]{0,24}";
const token = (/** @type {string} */ word) =>
  `(?<${word}>[|\uff5c])${PART}(?:${word}[_\u2581](?:of[_\u2581])?${OF}|${OF}[a-z]{0,4}[_\u2581]${word})${PART}\\k<${word}>>`;
const ATTRIBUTES = `(?:[ \\t]{1,2}[a-z][\\w:-]{0,15}=(?:"[^"<>\\r\\n]{0,20}"|'[^'<>\\r\\n]{0,20}'|[\\w.-]{1,20})){1,2}`;
const TAG = `(?:[\\w.-]{1,24}[:|])?(?:reasoning|thinking|thoughts|thought|think)(?:${ATTRIBUTES}|(?:[_-][\\w-]{1,24})?(?::[\\w.-]{1,32})?)[ \\t]{0,4}>`;

const WITH_ATTRIBUTES = new RegExp(`^(<(?:[\\w.-]{1,24}[:|])?(?:reasoning|thinking|thoughts|thought|think))${ATTRIBUTES}[ \\t]*>$`);

/** Each opener and its closers, in lower case. They are those of the server's table. @type {ReadonlyMap<string, readonly string[]>} */
export const ASIDES = new Map([
  ["<analysis>", ["</analysis>"]],
  ["<antthinking>", ["</antthinking>"]],
  ["<details type=\"reasoning\">", ["</details>"]],
  ["<function_response>", ["</function_response>"]],
  ["<function_result>", ["</function_result>"]],
  ["<function_results>", ["</function_results>"]],
  ["<ifm|think>", ["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"]],
  ["<ifm|think_fast>", ["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"]],
  ["<ifm|think_faster>", ["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"]],
  ["<longcat_think>", ["</longcat_think>"]],
  ["<longcat_tool_response>", ["</longcat_tool_response>"]],
  ["<mm:think>", ["</mm:think>"]],
  ["<reasoning>", ["</reasoning>"]],
  ["<reflection>", ["</reflection>"]],
  ["<role>human</role>", ["<role>assistant", "<|role_end|>"]],
  ["<role>observation</role>", ["<role>assistant", "<|role_end|>"]],
  ["<role>system</role>", ["<role>assistant", "<|role_end|>"]],
  ["<role>tool</role>", ["<role>assistant", "<|role_end|>"]],
  ["<role>user</role>", ["<role>assistant", "<|role_end|>"]],
  ["<scratchpad>", ["</scratchpad>"]],
  ["<seed:bos>developer", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:bos>environment", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:bos>function", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:bos>ipython", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:bos>observation", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:bos>system", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:bos>tool", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:bos>user", ["<seed:eos>", "<seed:bos>assistant"]],
  ["<seed:cot_budget_reflect>", ["</seed:cot_budget_reflect>"]],
  ["<seed:think>", ["</seed:think>"]],
  ["<special_10>system", ["<special_11>assistant", "<special_12>"]],
  ["<special_11>user", ["<special_11>assistant", "<special_12>"]],
  ["<start_function_response>", ["<end_function_response>"]],
  ["<start_of_turn>developer", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<start_of_turn>environment", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<start_of_turn>function", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<start_of_turn>ipython", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<start_of_turn>observation", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<start_of_turn>system", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<start_of_turn>tool", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<start_of_turn>user", ["<end_of_turn>", "<start_of_turn>model"]],
  ["<think>", ["</think>"]],
  ["<thinking>", ["</thinking>"]],
  ["<thought>", ["</thought>"]],
  ["<thoughts>", ["</thoughts>"]],
  ["<tool_output>", ["</tool_output>"]],
  ["<tool_outputs>", ["</tool_outputs>"]],
  ["<tool_response>", ["</tool_response>"]],
  ["<tool_result>", ["</tool_result>"]],
  ["<tool_results>", ["</tool_results>"]],
  ["<|begin_of_thought|>", ["<|end_of_thought|>"]],
  ["<|begin|>developer", ["<|end|>", "<|begin|>assistant"]],
  ["<|begin|>environment", ["<|end|>", "<|begin|>assistant"]],
  ["<|begin|>function", ["<|end|>", "<|begin|>assistant"]],
  ["<|begin|>ipython", ["<|end|>", "<|begin|>assistant"]],
  ["<|begin|>observation", ["<|end|>", "<|begin|>assistant"]],
  ["<|begin|>system", ["<|end|>", "<|begin|>assistant"]],
  ["<|begin|>tool", ["<|end|>", "<|begin|>assistant"]],
  ["<|begin|>user", ["<|end|>", "<|begin|>assistant"]],
  ["<|channel>thought", ["<channel|>"]],
  ["<|channel|>analysis<|message|>", ["<|end|>"]],
  ["<|content_thinking|>", ["<|end_message|>"]],
  ["<|developer_start|>", ["<|developer_end|>", "<|assistant_start|>"]],
  ["<|header_start|>developer", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|header_start|>environment", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|header_start|>function", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|header_start|>ipython", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|header_start|>observation", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|header_start|>system", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|header_start|>tool", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|header_start|>user", ["<|eot|>", "<|eom|>", "<|header_start|>assistant"]],
  ["<|im_start|>developer", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_start|>environment", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_start|>function", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_start|>ipython", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_start|>observation", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_start|>system", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_start|>tool", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_start|>user", ["<|im_end|>", "<|im_start|>assistant"]],
  ["<|im_system|>", ["<|im_end|>", "<|im_assistant|>"]],
  ["<|im_user|>", ["<|im_end|>", "<|im_assistant|>"]],
  ["<|inner_prefix|>", ["<|inner_suffix|>"]],
  ["<|message_model|><|content_thinking|>", ["<|end_message|>"]],
  ["<|observation|>", ["<|assistant|>", "<|end|>", "<|endofobservation|>", "<|response|>"]],
  ["<|open|>think<|sep|>", ["<|close|>think<|sep|>"]],
  ["<|start_header_id|>developer", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_header_id|>environment", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_header_id|>function", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_header_id|>ipython", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_header_id|>observation", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_header_id|>system", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_header_id|>tool", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_header_id|>user", ["<|eot_id|>", "<|eom_id|>", "<|start_header_id|>assistant"]],
  ["<|start_of_role|>developer", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_role|>environment", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_role|>function", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_role|>ipython", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_role|>observation", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_role|>system", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_role|>tool", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_role|>user", ["<|end_of_text|>", "<|start_of_role|>assistant"]],
  ["<|start_of_turn_token|><|system_token|>", ["<|end_of_turn_token|>", "<|chatbot_token|>"]],
  ["<|start_of_turn_token|><|user_token|>", ["<|end_of_turn_token|>", "<|chatbot_token|>"]],
  ["<|start_thinking|>", ["<|end_thinking|>"]],
  ["<|start_tool_result|>", ["<|end_tool_result|>"]],
  ["<|start|>assistant<|channel|>analysis<|message|>", ["<|end|>"]],
  ["<|start|>developer", ["<|end|>", "<|start|>assistant"]],
  ["<|start|>environment", ["<|end|>", "<|start|>assistant"]],
  ["<|start|>function", ["<|end|>", "<|start|>assistant"]],
  ["<|start|>ipython", ["<|end|>", "<|start|>assistant"]],
  ["<|start|>observation", ["<|end|>", "<|start|>assistant"]],
  ["<|start|>system", ["<|end|>", "<|start|>assistant"]],
  ["<|start|>tool", ["<|end|>", "<|start|>assistant"]],
  ["<|start|>user", ["<|end|>", "<|start|>assistant"]],
  ["<|system_start|>", ["<|system_end|>", "<|assistant_start|>"]],
  ["<|system|>", ["<|assistant|>", "<|end|>", "<|endofsystem|>", "<|response|>"]],
  ["<|think|>", ["<|end|>"]],
  ["<|tool_response>", ["<tool_response|>"]],
  ["<|tool_response_start|>", ["<|tool_response_end|>"]],
  ["<|tool|>", ["<|assistant|>", "<|end|>", "<|endoftool|>", "<|response|>"]],
  ["<|turn>developer", ["<turn|>", "<|turn>model"]],
  ["<|turn>environment", ["<turn|>", "<|turn>model"]],
  ["<|turn>function", ["<turn|>", "<|turn>model"]],
  ["<|turn>ipython", ["<turn|>", "<|turn>model"]],
  ["<|turn>observation", ["<turn|>", "<|turn>model"]],
  ["<|turn>system", ["<turn|>", "<|turn>model"]],
  ["<|turn>tool", ["<turn|>", "<|turn>model"]],
  ["<|turn>user", ["<turn|>", "<|turn>model"]],
  ["<|user_start|>", ["<|user_end|>", "<|assistant_start|>"]],
  ["<|userprompt|>", ["<|assistant|>", "<|end|>", "<|endofuserprompt|>", "<|response|>"]],
  ["<|user|>", ["<|assistant|>", "<|end|>", "<|endofuser|>", "<|response|>"]],
  ["<｜hy_system｜>", ["<｜hy_assistant｜>"]],
  ["<｜hy_user｜>", ["<｜hy_assistant｜>"]],
  ["<｜system｜>", ["<｜assistant｜>", "<｜end▁of▁sentence｜>"]],
  ["<｜tool▁outputs▁begin｜>", ["<｜tool▁outputs▁end｜>"]],
  ["<｜tool▁output▁begin｜>", ["<｜tool▁output▁end｜>"]],
  ["<｜user｜>", ["<｜assistant｜>", "<｜end▁of▁sentence｜>"]],
  ["[available_tools]", ["[/available_tools]"]],
  ["[inst]", ["[/inst]"]],
  ["[system_prompt]", ["[/system_prompt]"]],
  ["[think]", ["[/think]"]],
  ["[tool_content]", ["[/tool_results]"]],
  ["[tool_results]", ["[/tool_results]"]],
  ["[unused16]", ["[unused17]"]],
  ["[|system|]", ["[|assistant|]", "[|endofturn|]"]],
  ["[|tool|]", ["[|assistant|]", "[|endofturn|]"]],
  ["[|user|]", ["[|assistant|]", "[|endofturn|]"]],
  ["]~b]developer", ["[e~[", "]~b]ai"]],
  ["]~b]environment", ["[e~[", "]~b]ai"]],
  ["]~b]function", ["[e~[", "]~b]ai"]],
  ["]~b]ipython", ["[e~[", "]~b]ai"]],
  ["]~b]observation", ["[e~[", "]~b]ai"]],
  ["]~b]system", ["[e~[", "]~b]ai"]],
  ["]~b]tool", ["[e~[", "]~b]ai"]],
  ["]~b]user", ["[e~[", "]~b]ai"]],
  ["◁think▷", ["◁/think▷"]],
]);

const escaped = (/** @type {string} */ mark) => mark.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
// There may be blanks before the bracket that ends a mark and before the second token in it; and a suffix behind the name of a tag.
const blanks = (/** @type {string} */ mark) => escaped(mark).replace(/(?<=[a-z])<|>$/g, "[ \\t]{0,4}$&");
const spaced = (/** @type {string} */ mark) => (/^<\w+>$/.test(mark) ? `${escaped(mark.slice(0, -1))}(?::[\\w.-]{1,32})?[ \\t]{0,4}>` : blanks(mark));
const MARKS = [...ASIDES.keys()].sort((one, other) => other.length - one.length).map(spaced);
const SHAPES = [TAG, token("begin"), token("start")];
const OPENER = new RegExp(`(?:\\*\\*)?(?<mark>${MARKS.join("|")}|<(?:${SHAPES.join("|")}))`, "iy");
// Where a fence could stand, also behind the marker of a list.
const BEFORE = /(?: {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+)* {0,3}/y;

// Openers made of words, which count as the first thing in a reply alone, and their closers.
const OF_REPLY = /(?:\*\*)?Here(?: is|['\u2019]s) my thought process:|\/think(?=(?: {0,4}|\t)[\r\n])/iy;
const RESPONSE = /[\r\n][ \t]*(?:\*\*)?Here(?: is|['\u2019]s) my response:/gi;
const ASSISTANT = /<\|im_start\|>assistant/gi;

/**
 * Returns where an aside ends that begins on the line at this place of a text: the end of the text if it is never closed. Null if
 * none begins there.
 *
 * @param {string} text
 * @param {number} at
 * @returns {number | null}
 */
export function endOfAside(text, at) {
  OF_REPLY.lastIndex = at;
  if (OF_REPLY.exec(text) && /\S/.exec(text)?.index === at) {
    const behind = text[at] === "/" ? ASSISTANT : RESPONSE;
    behind.lastIndex = OF_REPLY.lastIndex;
    return behind.exec(text) ? behind.lastIndex : text.length;
  }
  BEFORE.lastIndex = at;
  OPENER.lastIndex = at + (BEFORE.exec(text)?.[0].length ?? 0);
  const found = OPENER.exec(text);
  if (!found) return null;
  const closer = closerOf((found.groups?.mark ?? "").toLowerCase());
  closer.lastIndex = OPENER.lastIndex;
  return closer.exec(text) ? closer.lastIndex : text.length;
}

/** @param {string} opener */
function closerOf(opener) {
  const bare = opener.replace(WITH_ATTRIBUTES, "$1>").replace(/[ \t]+/g, "");
  const turned = /^<[|\uff5c]/.test(bare) ? bare.replace(/(?<![a-z])(?:begin|start)(?![a-z])/, "end") : `</${bare.slice(1)}`;
  return new RegExp((ASIDES.get(opener) ?? ASIDES.get(bare) ?? [turned]).map(blanks).join("|"), "gi");
}
