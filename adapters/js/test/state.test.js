import assert from "node:assert/strict";
import { test } from "node:test";
import { initial, reduce } from "../src/index.js";

const text = (data, id) => ({ type: "text", data, ...(id ? { id } : {}) });
const status = (id, status, more) => ({ type: "json-tool-status", data: { id, seq: 1, status, ...more } });
const block = (id, part = 1) => ({ type: "json-tool-block", data: { id, part, executable: true } });
const after = (...events) => events.reduce(reduce, initial());
const shape = ({ parts }) => parts.map((part) => (part.type === "text" ? part.text : `${part.stage} ${part.id}`));

test("text grows, a pill stands where its block will be, and the block takes its place", () => {
  const events = [text("a"), text("b"), status("s-1", "buffering"), status("s-1", "validating", { path: "p" }), block("s-1"), text("c")];
  const shapes = events.map((_, at) => shape(after(...events.slice(0, at + 1))));
  assert.deepEqual(shapes, [["a"], ["ab"], ["ab", "held s-1"], ["ab", "held s-1"], ["ab", "block s-1"], ["ab", "block s-1", "c"]]);
});

test("a block that was released leaves no trace", () => {
  assert.deepEqual(shape(after(text("a"), status("s-1", "buffering"), status("s-1", "released"), text("b"))), ["ab"]);
});

test("text that flowed on stays behind its block", () => {
  assert.deepEqual(shape(after(status("s-1", "correcting"), text("later"), block("s-1"))), ["block s-1", "later"]);
});

test("the calls of one fence stand together", () => {
  const { parts } = after(status("s-1", "buffering"), block("s-1", 1), block("s-1", 2));
  assert.deepEqual(parts[0].blocks.map(({ part }) => part), [1, 2]);
});

test("a block without a status, as after a gap, is shown all the same", () => {
  assert.deepEqual(shape(after(block("s-1"))), ["block s-1"]);
});

test("what is still held when the stream ends is lost, and says so", () => {
  for (const end of [{ type: "done", data: {} }, { type: "error", data: { message: "x" } }])
    assert.deepEqual(shape(after(status("s-1", "buffering"), end)), ["lost s-1"]);
});

test("an end tells its kind", () => {
  const ends = [
    [{ type: "done", data: {} }, "done", null],
    [{ type: "done", data: { ending: "stopped" } }, "stopped", null],
    [{ type: "error", data: { message: "m" } }, "failed", "m"],
    [{ type: "error", data: { message: "m", ending: "interrupted" } }, "interrupted", "m"],
  ];
  for (const [event, ending, error] of ends) {
    const message = after(event);
    assert.deepEqual([message.ending, message.error], [ending, error]);
  }
});

test("an event that comes again changes nothing, however the ids are spelt", () => {
  const ids = ["99-0", "99-2", "99-10", "100-0", "1000-1"];
  const events = ids.map((id) => text(`${id} `, id));
  const once = after(...events);
  for (let from = 0; from < ids.length; from++) assert.equal(after(...events, ...events.slice(from)).parts[0].text, once.parts[0].text);
  assert.equal(once.lastId, "1000-1");
});

test("what was given is not changed, and what did not change is the same", () => {
  const one = after(text("a"), status("s-1", "buffering"));
  Object.freeze(one);
  Object.freeze(one.parts);
  one.parts.forEach(Object.freeze);
  const two = reduce(one, text("b"));
  assert.equal(two.parts[1], one.parts[1]);
  assert.equal(one.parts.length, 2);
});
