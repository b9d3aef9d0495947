import assert from "node:assert/strict";
import { test } from "node:test";
import { createParser } from "eventsource-parser";
import { SseReader } from "../src/sse.js";

const STREAM =
  ": ping\r\n\r\nevent: text\r\nid: 1-0\r\ndata: \"a\"\r\n\r\n" +
  "event: text\ndata: \"two\ndata:  lines\"\n\n\n" +
  "data\rdata\r\rid\revent: x\rdata: after a return\r\r" +
  "retry: 1500\nretry: soon\nretry\nid: a\0b\nevent: x\nevent:\ndata: no id\n\n" +
  "unknown: field\n:data: comment\n data: no field\ndata:one\ndata:  two\n\nevent: nothing\nid: 9\n\ndata: after nothing\n\n" +
  "data: \u2028 is no line end \u00e9 \ud83d\ude00\n\ndata: cut off";

const whole = (pieces) => {
  const reader = new SseReader();
  const events = pieces.flatMap((piece) => reader.feed(piece));
  return { events, retry: reader.retry };
};

test("it reads what another reader of the format reads", () => {
  const expected = [];
  const other = createParser({ onEvent: ({ event = "message", data, id }) => expected.push({ type: event, data, id }) });
  other.feed(STREAM);
  assert.deepEqual(whole([STREAM]), { events: expected, retry: 1500 });
  assert.equal(expected.length, 8);
});

test("however it is cut into three it is the same", () => {
  const expected = whole([STREAM]);
  for (let one = 0; one <= STREAM.length; one++)
    for (let two = one; two <= STREAM.length; two += 3)
      assert.deepEqual(whole([STREAM.slice(0, one), STREAM.slice(one, two), STREAM.slice(two)]), expected);
  assert.deepEqual(whole([...Array.from({ length: STREAM.length }, (_, at) => STREAM[at])]), expected);
});

test("a return that ends a piece is not the end of an empty line in the next", () => {
  assert.deepEqual(whole(["data: a\r", "\n", "data: b\r", "\n\r", "\n"]).events.map(({ data }) => data), ["a\nb"]);
  assert.deepEqual(whole(["data: a\r", "", "\n", "data: b\r", "\r"]).events.map(({ data }) => data), ["a\nb"]);
});

test("twice the bytes are twice the work, however they are cut", () => {
  const looked = (text, size) => {
    let count = 0;
    const exec = RegExp.prototype.exec;
    RegExp.prototype.exec = function (given) {
      const from = this.lastIndex;
      const found = exec.call(this, given);
      count += (found ? found.index : given.length) - from + 1;
      return found;
    };
    const slice = String.prototype.slice;
    String.prototype.slice = function (...given) {
      const made = slice.apply(this, given);
      count += made.length;
      return made;
    };
    const join = Array.prototype.join;
    Array.prototype.join = function (...given) {
      const made = join.apply(this, given);
      count += made.length;
      return made;
    };
    try {
      const reader = new SseReader();
      for (let at = 0; at < text.length; at += size) reader.feed(text.substring(at, at + size));
    } finally {
      RegExp.prototype.exec = exec;
      String.prototype.slice = slice;
      Array.prototype.join = join;
    }
    return count;
  };
  const shapes = [
    (n) => `data: ${"x".repeat(n)}\n\n`,
    (n) => "data: x\n".repeat(n / 8),
    (n) => "\n".repeat(n),
    (n) => "\r".repeat(n),
    (n) => "data: x\n\n".repeat(n / 9),
    (n) => `:${"x".repeat(n)}`,
  ];
  for (const shape of shapes)
    for (const size of [1, 100, 2 ** 30]) {
      const [one, two] = [2 ** 16, 2 ** 17].map((n) => looked(shape(n), size));
      assert.ok(two < 2.2 * one && two < 12 * 2 ** 17, `${shape} by ${size}: ${one} then ${two}`);
    }
});

test("an event without an end is refused, and not collected for ever", () => {
  const reader = new SseReader();
  const piece = "x".repeat(2 ** 22);
  assert.throws(() => {
    for (let count = 0; count < 20; count++) reader.feed(piece);
  }, RangeError);
  const lines = new SseReader();
  assert.throws(() => {
    for (let count = 0; count < 20; count++) lines.feed(`data: ${piece}\n`);
  }, RangeError);
  const pings = new SseReader();
  for (let count = 0; count < 40; count++) pings.feed(`:${piece}\n`);
  const many = new SseReader();
  for (let count = 0; count < 40; count++) many.feed(`data: ${piece}\n\n:`);
});
