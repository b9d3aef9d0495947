import assert from "node:assert/strict";
import { test } from "node:test";
import { Executors, fromAgUi, fromAiSdk } from "../src/index.js";

const call = { id: "c-1", tool: "write_file", path: "a", args: {}, status: "detected" };

test("a call goes through its statuses, and is run once however often it is handed in", async () => {
  const seen = [];
  let runs = 0;
  const executors = new Executors({ onChange: ({ status }) => seen.push(status) }).register("write_file", async () => ++runs);
  const outcomes = await Promise.all([executors.run(call), executors.run(call), executors.run({ ...call })]);
  assert.deepEqual(outcomes, Array(3).fill({ status: "completed", result: 1 }));
  assert.deepEqual(seen, ["processing", "executing", "completed"]);
});

test("what is thrown is a failure, and says why", async () => {
  for (const thrown of [new Error("no"), "no"]) {
    const executors = new Executors().register("write_file", () => {
      throw thrown;
    });
    const { status, error } = await executors.run(call);
    assert.deepEqual([status, error.message], ["failed", "no"]);
  }
});

test("a tool that nothing runs fails, unless there is one for any", async () => {
  assert.equal((await new Executors().run(call)).status, "failed");
  assert.equal((await new Executors().register("*", () => 1).run(call)).status, "completed");
});

const block = { id: "s-1", executable: true };

test("parts of the AI SDK are the same events", () => {
  assert.deepEqual(fromAiSdk({ type: "data-json-tool-block", data: block }), { type: "json-tool-block", data: block });
  assert.deepEqual(fromAiSdk({ type: "data-json-tool-status", data: block }), { type: "json-tool-status", data: block });
  assert.deepEqual(fromAiSdk({ type: "text-delta", id: "t", delta: "x" }), { type: "text", data: "x" });
  for (const part of [{ type: "data-other", data: {} }, { type: "data-json-tool-block" }, { type: "json-tool-block", data: block }, { type: "finish" }])
    assert.equal(fromAiSdk(part), null);
});

test("custom events of AG-UI are the same events", () => {
  assert.deepEqual(fromAgUi({ type: "CUSTOM", name: "json-tool-block", value: block }), { type: "json-tool-block", data: block });
  assert.deepEqual(fromAgUi({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" }), { type: "text", data: "x" });
  for (const event of [{ type: "CUSTOM", name: "other", value: {} }, { type: "CUSTOM" }, { type: "RUN_FINISHED" }])
    assert.equal(fromAgUi(event), null);
});
