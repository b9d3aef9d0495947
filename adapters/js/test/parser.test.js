import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonToolParser } from "../src/index.js";

const parser = new JsonToolParser();
const write = '```json\n{"tool": "write_file", "path": "a.txt", "content": "x"}\n```';

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
    .map((call) => `\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\`\n`)
    .join("text\n");
  const [edit, remove] = parser.parseJsonTools(text);
  assert.deepEqual(edit.search_replace, { old_string: "o", new_string: "n" });
  assert.equal("content" in remove, false);
  assert.deepEqual([edit.id, remove.id], ["call-1", "call-2"]);
});

test("the same text gives the same ids", () => {
  assert.deepEqual(parser.parseJsonTools(write + "\n" + write), parser.parseJsonTools(write + "\n" + write));
});

for (const newline of ["\n", "\r\n"]) {
  test(`blocks are found where they are, with line ends ${JSON.stringify(newline)}`, () => {
    const text = ["a", "```json", "{}", "```", "b", "~~~json", "[]", "~~~"].join(newline);
    for (const { text: block, body, start, end } of parser.findJsonToolBlocks(text)) {
      assert.equal(text.slice(start, end), block);
      assert.match(body, /^(\{\}|\[\])$/);
    }
    assert.equal(parser.findJsonToolBlocks(text).length, 2);
  });
}

const nothing = {
  "a block that does not end": '```json\n{"tool": "delete_file", "path": "a"}',
  "a block in another block": `\`\`\`\`markdown\n${write}\n\`\`\`\``,
  "a block of another language": write.replace("json", "jsonc"),
  "what does not parse": '```json\n{"tool": "delete_file", "path": "a",}\n```',
  "what names no tool": '```json\n{"name": "notes", "version": "1"}\n```',
  "a tool that is not known": '```json\n{"tool": "run_shell", "path": "a"}\n```',
  "a tool that is no text": '```json\n{"tool": ["write_file"]}\n```',
  null: "```json\nnull\n```",
};
for (const [name, text] of Object.entries(nothing)) {
  test(`${name} is no call`, () => assert.deepEqual(parser.parseJsonTools(text), []));
}

test("a closing fence is at least as long, and of the same kind", () => {
  const [block] = parser.findJsonToolBlocks("````json\n```\n~~~~\n`````\n");
  assert.equal(block.body, "```\n~~~~");
});

test("an empty block has an empty body", () => {
  assert.deepEqual(parser.findJsonToolBlocks("```json\n```").map(({ body }) => body), [""]);
});

test("any tool may be asked for", () => {
  const any = new JsonToolParser({ tools: null });
  assert.equal(any.parseJsonTools('```json\n{"tool": "get_weather", "city": "Rio"}\n```')[0].args.city, "Rio");
});

test("a block that did not pass is no call, whatever it holds", () => {
  const block = { id: "s-1", part: 1, content: write };
  assert.equal(parser.parseBlock({ ...block, executable: false }), null);
  assert.equal(parser.parseBlock({ ...block, executable: true }).id, "s-1.1");
});

test("names of the language are names like others", () => {
  const [call] = parser.parseJsonTools('```json\n{"tool": "delete_file", "path": "a", "__proto__": {"polluted": true}}\n```');
  assert.equal({}.polluted, undefined);
  assert.equal(call.polluted, undefined);
});
