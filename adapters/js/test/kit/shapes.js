/** Shapes of text that a parser may need longer for than their length: a token, repeated, in a context. */

export const TOKENS = {
  letters: "x", words: "word ", lines: "a line\n", newlines: "\n", returns: "\r", spaces: " ", tabs: "\t", quotes: '"', "quotes and blanks": '"  ', backslashes: "\\",
  "escaped quotes": '\\"', "escaped line ends": "\\\n", strings: '"a", ', braces: "{", closers: "}", brackets: "[", "single quotes": "'", digits: "7", members: '"a": 1, ',
  backticks: "`", "inline code": "`a` ", fences: "```\n", "json fences": "```json\n", "other fences": "```js\n```\n", "fenced objects": "```json {}```\n", tildes: "~~~\n",
  "closed behind a brace": "}```\n", bullets: "- ", items: "- a\n", numbers: "1. ", tags: "<b>", HTML: '<i class=\\"x\\">a</i>', reasoning: "<think>a</think>", "open reasoning": "<think>\n",
  "reasoning of attributes": '<think a="b"></think>', "ends of turns": "<|im_end|>", "marks in a line": "a <|im_end|><think></think>`", "marks in code": "`<|im_end|><think>` ", "open marks in code": "a <|im_end|><think>`",
  headers: "<|channel|>final<|message|>", turns: "<|im_start|>user\na<|im_end|>\n", thoughts: "/think\n", "open brackets": "<|", shapes: "<|begin_of_", suffixes: "<a:think",
  accents: "é", emoji: "😀", "half pairs": "\\ud83d", unicode: "\\u005f", slashes: "a/", dots: "../", colons: ": ", zeros: "0",
}; // prettier-ignore


const HEAD = '{"tool": "write_file", "path": "a.txt", "content": "';
export const fenced = (body) => `Before.\n\`\`\`json\n${body}\n\`\`\`\nAfter.\n`;
const written = (text) => JSON.stringify(text).slice(1, -1);

/** The text in which a token stands, repeated. */
export const CONTEXTS = {
  text: (text) => text,
  "a line": (text) => `x ${text.replace(/[\r\n]/g, " ")} <`,
  "behind empty lines": (text) => "\n".repeat(text.length / 2) + "x\n" + text.slice(text.length / 2),
  "a body": (text) => fenced(text),
  "an open body": (text) => `\`\`\`json\n${text}`,
  "a line of a body": (text) => fenced(text.replace(/[\r\n]/g, " ")),
  "behind a body": (text) => fenced(`${HEAD}x"}${text}`),
  "behind a long body": (text) => fenced(`{"a": "${"x".repeat(text.length / 2)}", \n}\`\`\`\n${text.slice(text.length / 2)}`),
  "a string": (text) => fenced(`${HEAD}${written(text)}"}`),
  "a raw string": (text) => fenced(`${HEAD}${text}"}`),
  "an open string": (text) => fenced(`${HEAD}${text}}`),
  "a path": (text) => fenced(`{"tool": "delete_file", "path": "${written(text)}"}`),
  "a list": (text) => fenced(`[${text}]`),
  "an item": (text) => `- a\n  ${text}`,
  "many blocks": (text) => fenced(text.slice(0, 64)).repeat(text.length / 64),
}; // prettier-ignore

/** All of them, by name: each makes the text of a size. */
export const TEXTS = Object.fromEntries(
  Object.entries(CONTEXTS).flatMap(([context, made]) =>
    Object.entries(TOKENS).map(([token, text]) => [`${context} of ${token}`, (size) => made(text.repeat(size / text.length))]),
  ),
);
