import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonToolParser } from "../src/index.js";
import { ASIDES } from "../src/marks.js";
import { CONTEXTS, TOKENS } from "./kit/shapes.js";

const parser = new JsonToolParser();
const any = new JsonToolParser({ guard: () => true });
const fenced = (body) => `\`\`\`json\n${body}\n\`\`\``;
const write = fenced('{"tool": "write_file", "path": "a.txt", "content": "x"}');

test("a call is read with its fields, and is detected", () => {
  assert.deepEqual(parser.parseJsonTools(`Hi.\n\n${write}\nBye.\n`, "m"), [
    { id: "m-1", tool: "write_file", path: "a.txt", content: "x", args: { path: "a.txt", content: "x" }, status: "detected" },
  ]);
});

test("every tool of the specification has its own fields", () => {
  const text = [
    { tool: "edit_file", path: "b", search_replace: { old_string: "o", new_string: "n" } },
    { tool: "delete_file", path: "c" },
  ]
    .map((call) => `${fenced(JSON.stringify(call, null, 2))}\n`)
    .join("text\n");
  const [edit, remove] = parser.parseJsonTools(text);
  assert.deepEqual(edit.search_replace, { old_string: "o", new_string: "n" });
  assert.equal("content" in remove, false);
  assert.deepEqual([edit.id, remove.id], ["call-1", "call-2"]);
});

test("the same text gives the same ids", () => {
  assert.deepEqual(parser.parseJsonTools(write + "\n" + write), parser.parseJsonTools(write + "\n" + write));
});

for (const newline of ["\n", "\r\n", "\r"]) {
  test(`blocks are found where they are, with line ends ${JSON.stringify(newline)}`, () => {
    const text = ["a", "```json", "{}", "", "```", "b", "~~~json", "[]", "", "~~~"].join(newline);
    for (const { text: block, body, start, end } of parser.findJsonToolBlocks(text)) {
      assert.equal(text.slice(start, end), block);
      assert.match(body, /^(\{\}|\[\])\s+$/);
    }
    assert.equal(parser.findJsonToolBlocks(text).length, 2);
  });
}

const nothing = {
  "a block that does not end": '```json\n{"tool": "delete_file", "path": "a"}',
  "a block in another block": `\`\`\`\`markdown\n${write}\n\`\`\`\``,
  "a block behind a line of inline code that is no fence": `\`\`\`\nprose\n\`\`\` a \`\n${write}`,
  "a fence that is closed by a space of another kind": '```json\n{"tool": "delete_file", "path": "a"}\n```\u00a0\n',
  "a block of another language": write.replace("json", "jsonc"),
  "what does not parse": fenced('{"tool": "delete_file", "path": "a",}'),
  "what names no tool": fenced('{"name": "notes", "version": "1"}'),
  "a tool that is not known": fenced('{"tool": "run_shell", "path": "a"}'),
  "a tool that is no text": fenced('{"tool": ["write_file"]}'),
  null: fenced("null"),
  "an empty list": fenced("[]"),
  "a delete without a path": fenced('{"tool": "delete_file"}'),
  "a delete of an empty path": fenced('{"tool": "delete_file", "path": ""}'),
  "a path of another kind": fenced('{"tool": "delete_file", "path": ["a"]}'),
  "a write without its content": fenced('{"tool": "write_file", "path": "a"}'),
  "a write of an object": fenced('{"tool": "write_file", "path": "a", "content": {}}'),
  "an edit without what it replaces": fenced('{"tool": "edit_file", "path": "a", "search_replace": {"new_string": ""}}'),
  "an edit that is a list": fenced('{"tool": "edit_file", "path": "a", "search_replace": []}'),
  "a member that no tool has": fenced('{"tool": "delete_file", "path": "a", "dry_run": true}'),
  "a member of an edit that none has": fenced(
    '{"tool": "edit_file", "path": "a", "search_replace": {"old_string": "a", "new_string": "b", "all": true}}',
  ),
  "a tool twice": fenced('{"tool": "write_file", "tool": "delete_file", "path": "a"}'),
  "a path twice": fenced('{"tool": "delete_file", "path": "a", "path": "b"}'),
  "a path twice, once in another spelling": fenced('{"tool": "delete_file", "path": "a", "pa\\u0074h": "b"}'),
  "a member twice inside": fenced(
    '{"tool": "edit_file", "path": "a", "search_replace": {"old_string": "a", "old_string": "b", "new_string": ""}}',
  ),
  "a prototype": fenced('{"tool": "delete_file", "path": "a", "__proto__": {"polluted": true}}'),
  "a prototype in another spelling": fenced('{"tool": "delete_file", "path": "a", "\\u005f_proto__": {}}'),
  "half a character": fenced('{"tool": "write_file", "path": "a", "content": "\\ud83d"}'),
  "a list with one that is no call": fenced('[{"tool": "delete_file", "path": "a"}, {"tool": "delete_file"}]'),
  "a list in a list": fenced('[[{"tool": "delete_file", "path": "a"}]]'),
};
for (const path of ["/etc/passwd", "../a", "a/../../b", "a\\..\\b", "C:/a", "c:a", "//host/a", "\\\\host\\a", "<path>", "a\0b", "a\nb", "a/ .. /b"])
  nothing[`a path outside: ${JSON.stringify(path)}`] = fenced(JSON.stringify({ tool: "delete_file", path }));
for (const [name, text] of Object.entries(nothing)) {
  test(`${name} is no call`, () => {
    assert.deepEqual(parser.parseJsonTools(text), []);
    assert.equal(parser.parseBlock({ id: "s-1", part: 1, tool: "delete_file", executable: true, content: text }), null);
  });
}

test("what is not exactly what was written is no call of any tool", () => {
  const bodies = [
    '{"tool": "t", "a": {"b": [{"c": 1, "c": 1}]}}',
    '{"tool": "t", "a": {"__proto__": 1}}',
    '{"tool": "t", "a": [{"b": {"__proto__": {"c": 1}}}]}',
    '{"tool": "t", "a": 9007199254740993}',
    '{"tool": "t", "a": 12345678901234567890}',
    '{"tool": "t", "a": 1e400}',
    '{"tool": "t", "a": -1e999}',
    '{"tool": "t", "\\udc00": 1}',
    `{"tool": "t", "a": ${"[".repeat(200)}${"]".repeat(200)}}`,
    '{"tool": ""}',
    '"t"',
  ];
  for (const body of bodies) assert.deepEqual(any.parseJsonTools(fenced(body)), [], body);
});

test("what looks like it is taken", () => {
  const bodies = [
    '{"tool": "t", "a": {"c": 1}, "b": {"c": 1}}',
    '{"tool": "t", "a": "{\\"c\\": 1, \\"c\\": \\\\", "b": ":::"}',
    '{"tool": "t", "a": "\\\\", "b": "\\\\\\""}',
    '{"tool": "t", "a": 9007199254740991, "b": -0, "c": 1.5e3, "d": 0.1, "e": 1e23}',
    '{"tool": "t", "constructor": 1, "prototype": {}, "toString": null, "hasOwnProperty": true}',
    '{"tool": "t", "a": "\\ud83d\\ude00 😀 __proto__"}',
    `{"tool": "t", "a": ${"[".repeat(199)}${"]".repeat(199)}}`,
  ];
  for (const body of bodies) {
    const { tool, ...args } = JSON.parse(body);
    assert.deepEqual(any.parseJsonTools(fenced(body)).map((call) => [call.tool, call.args]), [[tool, args]], body);
  }
});

test("a closing fence is at least as long, and of the same kind", () => {
  const [block] = parser.findJsonToolBlocks("````json\n```\n~~~~\n`````\n");
  assert.equal(block.body, "```\n~~~~");
});

test("an empty block has an empty body", () => {
  assert.deepEqual(parser.findJsonToolBlocks("```json\n```").map(({ body }) => body), [""]);
});

test("tools of your own have a guard of your own", () => {
  const isToolCall = (value) => value.tool === "get_weather" && typeof value.city === "string";
  const mine = new JsonToolParser({ guard: isToolCall });
  const [call, ...more] = mine.parseJsonTools(`${fenced('{"tool": "get_weather", "city": "Rio"}')}\n${fenced('{"tool": "get_weather"}')}`);
  assert.deepEqual([call.args.city, call.path, more], ["Rio", "", []]);
});

test("a block is its one call, and none when it did not pass, whatever it holds", () => {
  const block = { id: "s-1", part: 2, tool: "write_file", content: write, executable: true };
  assert.equal(parser.parseBlock(block).id, "s-1.2");
  for (const change of [
    { executable: false },
    { executable: "false" },
    { executable: 1 },
    { executable: undefined },
    { content: null },
    { content: `${write}\n${write}` },
    { tool: "delete_file" },
    { tool: undefined },
    { id: undefined },
    { part: undefined },
  ])
    assert.equal(parser.parseBlock({ ...block, ...change }), null, JSON.stringify(change));
  for (const none of [null, undefined, 7, "block"]) assert.equal(parser.parseBlock(none), null);
});

/** How many characters are looked at by whatever reads characters, in this much of a block. */
function looked(text) {
  let count = 0;
  const undo = [];
  const wrap = (owner, name, cost) => {
    const original = owner[name];
    owner[name] = function (...given) {
      const made = original.apply(this, given);
      count += cost(this, given, made);
      return made;
    };
    undo.push(() => (owner[name] = original));
  };
  wrap(String.prototype, "charCodeAt", () => 1);
  wrap(String.prototype, "slice", (_, __, made) => made.length);
  wrap(String.prototype, "indexOf", (text, [__, from = 0], made) => (made < 0 ? text.length : made) - from + 1);
  // Whatever else takes a pattern calls this. One that is sticky looks at the blanks at its place, if it finds nothing.
  const exec = RegExp.prototype.exec;
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const made = exec.call(this, text);
    let end = made ? made.index + made[0].length : text.length;
    if (!made && this.sticky) for (end = from; text[end] === " " || text[end] === "\t"; ) end++;
    count += end - from + 1;
    return made;
  };
  undo.push(() => (RegExp.prototype.exec = exec));
  for (const name of ["replace", "replaceAll", "split", "trim", "toLowerCase", "includes"]) wrap(String.prototype, name, (text) => text.length);
  wrap(String.prototype, "repeat", (_, __, made) => made.length);
  wrap(JSON, "parse", (_, [text]) => text.length);
  try {
    any.parseJsonTools(text);
  } finally {
    undo.forEach((back) => back());
  }
  return count;
}

const shapes = {
  "one long string": (n) => fenced(`{"tool": "t", "a": "${"x".repeat(n)}"}`),
  "escaped quotes": (n) => fenced(`{"tool": "t", "a": "${'\\"'.repeat(n / 2)}"}`),
  backslashes: (n) => fenced(`{"tool": "t", "a": "${"\\\\".repeat(n / 2)}"}`),
  "many members": (n) => fenced(`{"tool": "t", "a": {${Array.from({ length: n / 12 }, (_, i) => `"${i}": ${i}`).join(",")}}}`),
  "a long number": (n) => fenced(`{"tool": "t", "a": 0.${"1".repeat(n)}}`),
  "many lines": (n) => fenced(`{"tool": "t"${"\n".repeat(n)}}`),
  "many fences that open nothing": (n) => "```js\n```\n".repeat(n / 10),
  "a fence as long as the text": (n) => "`".repeat(n),
  "long lines that nearly are fences": (n) => `${"`".repeat(1000)}x\`\n`.repeat(n / 1003),
  "a block that does not end": (n) => `\`\`\`json\n${"{".repeat(n)}`,
  "many calls": (n) => fenced(`[${Array.from({ length: n / 40 }, () => '{"tool": "t", "path": "abcdefgh"}').join(",\n")}]`),
};
for (const [name, shape] of Object.entries(shapes)) {
  test(`twice the text is twice the work: ${name}`, () => {
    const [one, two] = [131_072, 262_144].map((size) => looked(shape(size)));
    assert.ok(two < 2.2 * one, `${one} then ${two}`);
    assert.ok(looked(shape(1_048_576)) < 12 * 1_048_576);
  });
}

for (const context of ["text", "a line", "behind empty lines", "a body", "behind a long body", "an open string"]) {
  test(`twice the text is twice the work, whatever is repeated: ${context}`, () => {
    const grows = Object.entries(TOKENS).filter(([, token]) => {
      const [one, two] = [2048, 4096].map((size) => looked(CONTEXTS[context](token.repeat(size / token.length))));
      return two > 2.3 * one + 512;
    });
    assert.deepEqual(grows.map(([name]) => name), []);
  });
}

/** The forms of marks that are no members of the table. @type {[opener: string, closer: string][]} */
const FORMS = [
  ["<think_fast>", "</think_fast>"], ["<minimax:think>", "</minimax:think>"], ["<think:opensource>", "</think:opensource>"],
  ["<|think_start|>", "<|think_end|>"], ["<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"], ["**<think>", "</think>"],
  ["- <think>", "</think>"], ["1. - <think>", "</think>"], ["   <think >", "</think >"], ["<THINK>", "</think>"], ['<think type="x">', "</think>"], ["<think>a</think><think>", "</think>"],
];

test("a call in reasoning, in a result or in somebody else's turn is none", () => {
  const table = [...ASIDES].flatMap(([opener, closers]) => closers.map((closer) => [opener, closer]));
  const call = fenced('{"tool": "t"}');
  for (const [opener, closer] of [...table, ...FORMS]) {
    assert.equal(any.parseJsonTools(`a\n${opener}\n${call}`).length, 0, opener);
    assert.equal(any.parseJsonTools(`${opener.toUpperCase()} b\r\n${call}\n${closer}\n`).length, 0, opener);
    for (const between of ["", "\n", "\nb\n"])
      assert.equal(any.parseJsonTools(`a\n${opener}\n${call}\n${closer}${between}${call}\n`).length, 1, opener + between);
  }
});

/** What stands before an aside or a call, and leaves its line outside of fences. */
const BEFORE = ["- ```sh\n  ls\n  ```", "1. ~~~\n   ls\n   ~~~", "- - ```json\n    {}\n    ```", "- a\n\n      ```sh\n      ```", "-\t```\n\t```", "```json {}```", "```json\n{}```", "```json x\n{}\n```", "<|channel|>final<|message|>```sh\n```", "* a"];

test("a fence stands where the guard sees one, and so does what is behind it", () => {
  const call = fenced('{"tool": "t"}');
  for (const before of BEFORE) {
    assert.equal(any.parseJsonTools(`${before}\n${call}\n`).length, 1, before);
    for (const opener of ["<think>", "<|im_start|>user", "<tool_response>", "a<|im_end|><|im_start|>user", "a <|user|>", "<thin\u212a>", "<\u601d:think>"])
      assert.equal(any.parseJsonTools(`${before}\n${opener}\n${call}\n${call}\n`).length, 0, before + opener);
  }
  for (const deep of ["- a\n      <think>", "- a\n\n      ```sh"]) assert.equal(any.parseJsonTools(`${deep}\n${call}\n`).length, 0, deep);
  for (const item of ["- CALL", "1. CALL", "- a\n\n      CALL"]) assert.equal(any.parseJsonTools(item.replace("CALL", call)).length, 1, item);
});

test("behind a block whose end is not certain nothing is a call", () => {
  const call = fenced('{"tool": "t"}');
  const open = ['{"a": "x', '{"tool": "t", "a": "b "c" d"}', "{'a': 1}", '{"tool": "t"}\n<think>\n{}', '{"tool": "t"}\n~~~', '{"tool": "t"}\n``', '{"tool": "t"', "x"];
  for (const body of open) assert.equal(any.parseJsonTools(`${fenced(body)}\n${call}\n`).length, 0, body);
  for (const body of ["", '{"a": 1,}', '// it\n{"a": 1}', "{a: 1}"]) assert.equal(any.parseJsonTools(`${fenced(body)}\n${call}\n`).length, 1, body);
});

test("of several calls of a list none says what another says", () => {
  const list = (...calls) => any.parseJsonTools(fenced(JSON.stringify(calls))).length;
  assert.equal(list({ tool: "t", a: 1 }, { tool: "t", a: 2 }), 2);
  for (const again of [{ a: " x", tool: "t" }, { tool: "t" }, { tool: "t", a: "x", b: 1 }]) assert.equal(list({ tool: "t", a: "x" }, { tool: "u" }, again), 0);
  assert.equal(list({ tool: "t", a: { b: 1, c: 2 } }, { tool: "t", a: { c: 2, b: 1 } }), 0);
  assert.deepEqual([100, 101].map((many) => list(...Array.from({ length: many }, (_, a) => ({ tool: "t", a })))), [100, 0]);
});

test("reasoning that opens with words counts as the first thing in a reply alone", () => {
  const call = fenced('{"tool": "t"}');
  for (const [opener, closer] of [["Here is my thought process:", "Here is my response:"], ["Here's my thought process:", "**Here's my response:**"], ["/think", "<|im_end|>\n<|im_start|>assistant"]]) {
    for (const before of ["", "\n\n"]) {
      assert.equal(any.parseJsonTools(`${before}${opener}\n${call}`).length, 0, opener);
      assert.equal(any.parseJsonTools(`${before}${opener}\n${call}\n${closer}\n${call}\n`).length, 1, opener);
    }
    for (const before of ["Hi.\n", "  ", "x"]) assert.equal(any.parseJsonTools(`${before}${opener}\n${call}\n`).length, 1, opener);
  }
});

test("a mark in a line, in code or in a block is text", () => {
  const call = fenced('{"tool": "t"}');
  for (const text of ["a <think>", "`<think>`", "<thinker>", "<b>", "    <think>", "```\n<think>\n```", fenced('{"tool": "u", "a": "\\n<think>"}')])
    assert.equal(any.parseJsonTools(`${text}\n${call}`).at(-1)?.tool, "t", text);
});
