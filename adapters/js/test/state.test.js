import assert from "node:assert/strict";
import { test } from "node:test";
import { initial, reduce } from "../src/index.js";
import { Vector } from "../src/vector.js";
import { later } from "../src/read.js";

const text = (data, id) => ({ type: "text", data, ...(id ? { id } : {}) });
const status = (id, status, more) => ({ type: "json-tool-status", data: { id, seq: 1, status, ...more } });
const none = { found: [], issues: [], fixes: [], attempts: [] };
const block = (id, part = 1) => ({ type: "json-tool-block", data: { id, part, content: "", executable: true, ...none } });
const after = (...events) => events.reduce(reduce, initial());
const shape = ({ parts }) =>
  parts.map((part) => ({ text: () => part.text, tool: () => `${part.stage} ${part.id}`, error: () => `error ${part.count}` })[part.type]());

test("text grows, a pill stands where its block will be, and the block takes its place", () => {
  const events = [text("a"), text("b"), status("s-1", "buffering"), status("s-1", "validating", { path: "p" }), block("s-1"), text("c")];
  const shapes = events.map((_, at) => shape(after(...events.slice(0, at + 1))));
  assert.deepEqual(shapes, [["a"], ["ab"], ["ab", "held s-1"], ["ab", "held s-1"], ["ab", "block s-1"], ["ab", "block s-1", "c"]]);
});

test("a block that was released leaves no trace", () => {
  assert.deepEqual(shape(after(text("a"), status("s-1", "buffering"), status("s-1", "released"), text("b"))), ["ab"]);
});

test("blocks are released in any order, and may come again", () => {
  const held = ["1", "2", "3"].map((id) => status(id, "buffering"));
  for (const order of ["123", "132", "213", "231", "312", "321"]) {
    const gone = [...order].map((id) => status(id, "released"));
    const shapes = gone.map((_, at) => shape(after(text("a"), ...held, ...gone.slice(0, at + 1))));
    assert.deepEqual(shapes.at(-1), ["a"]);
    assert.deepEqual(shapes[0], ["a", ...["1", "2", "3"].filter((id) => id !== order[0]).map((id) => `held ${id}`)]);
    assert.deepEqual(shape(after(text("a"), ...held, ...gone, text("b"), held[1], text("c"), block("2"))), ["ab", "block 2", "c"]);
  }
  assert.deepEqual(shape(after(held[0], text("a"), status("1", "released"), text("b"), held[0])), ["ab", "held 1"]);
});

test("text that flowed on stays behind its block", () => {
  assert.deepEqual(shape(after(status("s-1", "correcting"), text("later"), block("s-1"))), ["block s-1", "later"]);
});

test("the calls of one fence stand together", () => {
  const { parts } = after(status("s-1", "buffering"), block("s-1", 1), block("s-1", 2));
  assert.deepEqual(parts[0].blocks.map(({ part }) => part), [1, 2]);
});

test("the result of a call stands at its block, one of another block nowhere, and both survive a copy", () => {
  const result = (id, part = 1) => ({ type: "json-tool-result", data: { id, part, callId: `c${part}`, ok: true, text: "saved" } });
  const before = after(status("s-1", "buffering"), block("s-1", 1), block("s-1", 2), text("behind"));
  const message = [result("s-1", 1), result("s-2"), result("s-1", 2)].reduce(reduce, before);
  assert.deepEqual(before.parts[0].results, []);
  assert.deepEqual(message.parts[0].results.map(({ part }) => part), [1, 2]);
  assert.equal(message.parts[0].blocks.length, 2);
  assert.equal(message.parts[1], before.parts[1]);
  const stored = JSON.parse(JSON.stringify(after(block("s-1"), result("s-1"))));
  assert.equal(reduce(stored, result("s-1", 2)).parts[0].results.length, 2);
  assert.deepEqual(shape(after(block("s-1"), { type: "json-tool-result", data: { id: "s-1", ok: 1, text: "x" } })), ["block s-1", "error 1"]);
});

test("a block without a status, as after a gap, is shown all the same", () => {
  assert.deepEqual(shape(after(block("s-1"))), ["block s-1"]);
});

test("what is still held when the stream ends is lost, and says so", () => {
  for (const end of [{ type: "done", data: {} }, { type: "error", data: { message: "x" } }])
    assert.deepEqual(shape(after(status("s-1", "buffering"), end)), ["lost s-1"]);
});

test("of a block that is lost there is no status, so nobody is asked about it, and its names are kept", () => {
  const asked = (more) => status("s-1", "approving", { callId: "c", ...more });
  const message = after(asked({ toolType: "delete_file", path: "a" }), status("s-2", "buffering"), { type: "done", data: { ending: "stopped" } });
  assert.deepEqual(message.parts.map(({ stage, status, lost }) => [stage, status, lost]), [
    ["lost", null, { toolType: "delete_file", path: "a" }],
    ["lost", null, { toolType: null, path: null }],
  ]);
  assert.deepEqual(after(asked(), block("s-1")).parts.map(({ lost }) => lost), [null]);
});

test("an end tells its kind, also when its id is not beyond the last, and nothing comes behind it", () => {
  const ends = [
    [{ type: "done", data: {} }, "done", null],
    [{ type: "done", data: { ending: "stopped" } }, "stopped", null],
    [{ type: "error", data: { message: "m" } }, "failed", "m"],
    [{ type: "error", data: { message: "m", ending: "interrupted" }, id: "1-0" }, "interrupted", "m"],
    [{ type: "done", data: null }, "failed", "The stream's end cannot be read"],
    [{ type: "done", data: { ending: "running" } }, "failed", "The stream's end cannot be read"],
    [{ type: "done", data: { ending: "failed" } }, "failed", "The stream's end cannot be read"],
    [{ type: "done", data: { ending: {} } }, "failed", "The stream's end cannot be read"],
    [{ type: "error", data: { message: "m", ending: "running" } }, "failed", "m"],
    [{ type: "error", data: { message: "m", ending: ["done"] }, id: "6-0" }, "failed", "m"],
    [{ type: "error", data: "m" }, "failed", "The stream failed"],
  ];
  for (const [event, ending, error] of ends) {
    const message = after(text("a", "5-0"), event);
    assert.deepEqual([message.ending, message.error], [ending, error]);
    assert.equal(reduce(message, text("b", "6-0")), message);
    assert.equal(reduce(message, null), message);
  }
});

test("an event that comes again changes nothing, however the ids are spelt", () => {
  const ids = ["99-0", "99-2", "99-10", "100-0", "1000-1", "18446744073709551615-9", "18446744073709551616-0", "018446744073709551616-1"];
  const events = ids.map((id) => text(`${id} `, id));
  const once = after(...events);
  for (let from = 0; from < ids.length; from++) assert.equal(after(...events, ...events.slice(from)).parts[0].text, once.parts[0].text);
  assert.equal(once.lastId, ids.at(-1));
  assert.deepEqual(
    [later("1-0", ""), later("x", "x"), later("y", "x"), later("1-0-a", "2-0-a"), later("3-0-a", "2-0-a"), later("1-0-b", "2-0-a")],
    [true, false, true, false, true, true],
  );
});

test("what was given is not changed, and what did not change is the same", () => {
  const one = after(text("a"), status("s-1", "buffering"));
  Object.freeze(one);
  Object.freeze(one.parts);
  one.parts.forEach(Object.freeze);
  const two = reduce(one, text("b"));
  assert.equal(two.parts[1], one.parts[1]);
  assert.equal(one.parts.length, 2);
  assert.equal(two.parts, two.parts);
});

test("an event that cannot be read is one part that says so, and never an error", () => {
  const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000));
  const bad = [
    null, undefined, 7, "text", [], {}, { type: null }, { type: "text" }, { type: "text", data: null }, { type: "text", data: {} },
    { type: "json-tool-status" }, { type: "json-tool-status", data: {} }, { type: "json-tool-block", data: null }, { type: "other", data: {} },
    { type: "json-tool-block", data: { id: "s" } }, { type: "json-tool-block", data: { ...block("s").data, issues: null } },
    { type: "json-tool-block", data: { ...block("s").data, fixes: [null] } }, { type: "malformed" }, { type: "text", data: deep },
    { type: "__proto__", data: {} }, { type: "constructor", data: {} }, { type: "text", data: "x", id: 7 }, Object.create(null),
  ]; // prettier-ignore
  assert.deepEqual(shape(after(text("a"), ...bad, text("b"), null)), ["a", `error ${bad.length + 1}`, "b"]);
  assert.equal(after(text("a"), null).ending, "running");
});

test("a message that was stored, copied or taken up twice goes on as it was", () => {
  const events = [text("a", "1-0"), status("1", "buffering"), status("2", "buffering"), block("1", 1), null, block("1", 2), text("b"), status("2", "released"), text("c"), block("3")];
  const whole = after(...events, { type: "done", data: {} });
  const copies = {
    stored: (message) => JSON.parse(JSON.stringify(message)),
    cloned: (message) => structuredClone(message),
    spread: (message) => ({ ...message }),
    "reduced twice, as React's strict mode does": (message, event) => (reduce(message, event), message),
    "reduced another way before": (message) => (reduce(reduce(message, status("9", "buffering")), block("9")), message),
  };
  for (const [name, copy] of Object.entries(copies)) {
    const found = [...events, { type: "done", data: {} }].reduce((message, event) => reduce(copy(message, event), event), initial());
    assert.deepEqual(JSON.parse(JSON.stringify(found)), JSON.parse(JSON.stringify(whole)), name);
  }
});

/** A reducer that copies everything, as simple as can be: what the other one must come to. */
function plain(parts, { type, data }) {
  const at = parts.findIndex((part) => part.type === "tool" && part.id === data?.id);
  if (type === "text") {
    const last = parts.at(-1);
    return last?.type === "text" ? [...parts.slice(0, -1), { type, text: last.text + data }] : [...parts, { type, text: data }];
  }
  if (type === "json-tool-status") {
    if (data.status === "released") return parts.filter((_, index) => index !== at);
    if (at < 0) return [...parts, { type: "tool", id: data.id, stage: "held", status: data, lost: null, preview: null, blocks: [], results: [] }];
    return parts.map((part, index) => (index === at && (part.stage === "held" || part.blocks.length < part.blocks.at(-1).parts) ? { ...part, status: data } : part));
  }
  if (at < 0) return [...parts, { type: "tool", id: data.id, stage: "block", status: null, lost: null, preview: null, blocks: [data], results: [] }];
  const changed = (part) => {
    const blocks = [...part.blocks, data];
    return { ...part, stage: "block", blocks, status: blocks.length < data.parts ? part.status : null };
  };
  return parts.map((part, index) => (index === at ? changed(part) : part));
}

const ofTwo = (id, part = 1) => ({ type: "json-tool-block", data: { ...block(id, part).data, parts: 2 } });

test("of a fence with two calls the second is asked about behind the first, and at the end nothing is", () => {
  const asked = (part) => status("s", "approving", { seq: part, callId: `c${part}` });
  const events = [status("s", "buffering"), asked(1), ofTwo("s", 1), asked(2), ofTwo("s", 2), asked(2)];
  const shown = events.map((_, at) => after(...events.slice(0, at + 1)).parts[0]);
  assert.deepEqual(shown.map((part) => part.status?.callId), [undefined, "c1", "c1", "c2", undefined, undefined]);
  assert.deepEqual(shown.map((part) => part.stage), ["held", "held", "block", "block", "block", "block"]);
  assert.deepEqual(shown.map((part) => part.blocks.length), [0, 0, 1, 1, 2, 2]);
  const [ended] = after(...events.slice(0, 4), { type: "done", data: { ending: "stopped" } }).parts;
  assert.deepEqual([ended.stage, ended.status, ended.blocks.length], ["block", null, 1]);
});

test("whatever comes in whatever order, it is what a reducer makes that copies everything", () => {
  let seed = Number(process.env.SEED ?? 1);
  const drawn = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 100; round++) {
    let message = initial();
    let expected = [];
    const before = [];
    for (let at = 0; at < 60; at++) {
      const id = `b${drawn(8)}`;
      const event = [() => text("x"), () => status(id, "buffering"), () => status(id, "released"), () => block(id, at), () => ofTwo(id)][drawn(5)]();
      before.push([message, JSON.stringify(message.parts)]);
      message = reduce(message, event);
      expected = plain(expected, event);
    }
    assert.deepEqual(JSON.parse(JSON.stringify(message.parts)), JSON.parse(JSON.stringify(expected)));
    for (const [was, parts] of before) assert.equal(JSON.stringify(was.parts), parts);
  }
});

/** How many items are copied or looked at, by whatever does that to arrays, while these events are reduced. */
function looked(events) {
  let count = 0;
  const names = ["slice", "map", "filter", "find", "findIndex", "findLast", "indexOf", "includes", "some", "every", "forEach", "concat", "flat", "at", "with", "toSpliced", "toReversed", "push", Symbol.iterator];
  const undo = names.map((name) => {
    const original = Array.prototype[name];
    Array.prototype[name] = function (...given) {
      count += name === "push" || name === "at" ? 1 : this.length;
      return original.apply(this, given);
    };
    return () => (Array.prototype[name] = original);
  });
  for (const name of ["assign", "keys", "values", "entries", "fromEntries"]) {
    const original = Object[name];
    Object[name] = (...given) => {
      const made = original(...given);
      for (const _ in made) count++;
      return made;
    };
    undo.push(() => (Object[name] = original));
  }
  const { get } = Vector.prototype;
  Vector.prototype.get = function (at) {
    count++;
    return get.call(this, at);
  };
  undo.push(() => (Vector.prototype.get = get));
  let message = initial();
  try {
    for (let at = 0; at < events.length; at++) message = reduce(message, events[at]);
  } finally {
    undo.forEach((back) => back());
  }
  assert.ok(message.parts.length > 0);
  return count;
}

const streams = {
  "10,000 blocks": (n) => Array.from({ length: n }, (_, at) => [text("x"), status(`${at}`, "buffering"), block(`${at}`)]).flat(),
  "blocks that are all held first": (n) => [
    ...Array.from({ length: n }, (_, at) => status(`${at}`, "buffering")),
    ...Array.from({ length: n }, (_, at) => block(`${at}`)),
  ],
  "calls of one fence": (n) => Array.from({ length: n }, (_, at) => block("1", at + 1)),
  "pieces of text": (n) => Array.from({ length: n }, (_, at) => text("word ", `1-${at}`)),
  "news of one block": (n) => [text("x"), ...Array.from({ length: n }, () => status("1", "buffering"))],
  "blocks that are released": (n) => [text("x"), ...Array.from({ length: n }, (_, at) => [status(`${at}`, "buffering"), status(`${at}`, "released"), text("x")]).flat()],
  "one block that comes and goes": (n) => [text("x"), ...Array.from({ length: n }, () => [status("1", "buffering"), status("1", "released")]).flat()],
  "one block that comes and goes between texts": (n) => Array.from({ length: n }, () => [status("1", "buffering"), text("x"), status("1", "released")]).flat().concat(text("x")),
  "one block that comes and goes among others that stay": (n) => Array.from({ length: n }, (_, at) => [status("1", "buffering"), status("1", "released"), status(`b${at}`, "buffering")]).flat(),
  "two blocks that come and go in turn": (n) =>
    Array.from({ length: n }, (_, at) => (at % 2 ? ["1", "2"] : ["2", "1"]).map((id) => [status(id, "buffering")]).concat(["1", "2"].map((id) => status(id, "released")))).flat(2).concat(text("x")),
  "events that cannot be read": (n) => Array.from({ length: n }, () => null),
  "ends that come again": (n) => [block("1"), ...Array.from({ length: n }, () => ({ type: "done", data: {} }))],
};
for (const [name, stream] of Object.entries(streams)) {
  test(`twice the events are twice the work: ${name}`, () => {
    const [one, two] = [10_000, 20_000].map((n) => looked(stream(n)) / stream(n).length);
    assert.ok(two < 1.5 * one + 1 && two < 250, `${one} then ${two} items for each event`);
  });
}

test("a block is where its own message has it, whatever came of the same beginning in others", () => {
  const said = (message, ...events) => events.reduce(reduce, message);
  const held = (id) => status(id, "buffering");
  const gone = (id) => status(id, "released");
  const parts = (message) => message.parts.map((part) => part.text ?? `${part.id} ${part.stage}`);
  const begun = said(initial(), text("x"));
  const one = said(begun, held("1"), text("y"), gone("1"), text("z"), held("1"));
  for (const other of [[held("1")], [held("2"), held("1")], [held("2"), held("3"), held("1"), gone("1"), held("4")]]) said(begun, ...other);
  assert.deepEqual(parts(said(one, block("1"))), ["x", "yz", "1 block"]);
  assert.deepEqual(parts(said(begun, held("1"), gone("1"), held("5"), held("1"), block("5"))), ["x", "5 block", "1 held"]);
  assert.deepEqual(parts(said(one, gone("1"), text("!"))), ["x", "yz!"]);
});

test("the arguments of a held block grow, and the block has its own", () => {
  const change = (op, pointer, value) => ({ op, pointer, ...(value === undefined ? {} : { value }) });
  const statuses = [
    status("s-1", "buffering", { preview: [change("value", "/path", "a/b"), change("open", "/content", "")] }),
    status("s-1", "buffering", { preview: [change("text", "/content", "one\n")] }),
    status("s-1", "failing"),
    status("s-1", "buffering", { preview: [change("text", "/content", "two"), change("close", "/content"), change("open", "/a~1b", []), change("value", "/a~1b/0", 1)] }),
    status("s-1", "buffering", { preview: [change("open", "/a~1b/1", {}), change("value", "/a~1b/1/x"), change("close", "/a~1b/1"), change("close", "/a~1b")] }),
  ];
  const previews = statuses.map((_, at) => after(...statuses.slice(0, at + 1)).parts[0].preview);
  assert.deepEqual(previews[0], { path: "a/b", content: "" });
  assert.deepEqual(previews[2], { path: "a/b", content: "one\n" });
  assert.deepEqual(previews[4], { path: "a/b", content: "one\ntwo", "a/b": [1, { x: null }] });
  assert.equal(after(...statuses, block("s-1")).parts[0].preview, null);
});

test("a change of a value that this client never saw is left out", () => {
  const preview = [{ op: "text", pointer: "/content", value: "x" }, { op: "value", pointer: "/a/b/c", value: 1 }, { op: "value", pointer: "/__proto__", value: 2 }];
  const [part] = after(status("s-1", "buffering", { preview })).parts;
  assert.deepEqual(Object.entries(part.preview), [["__proto__", 2]]);
  assert.equal({}.b, undefined);
});

test("a change that leaves a gap in a list is left out, so that a list holds what came", () => {
  const open = { op: "open", pointer: "/a", value: [] };
  for (const at of ["300000000", "1", "-1", "00", "1e3", "", "length", "-"]) {
    const preview = [open, { op: "value", pointer: `/a/${at}`, value: 1 }, { op: "value", pointer: "/a/0", value: 2 }];
    assert.deepEqual(after(status("s-1", "buffering", { preview })).parts[0].preview, { a: [2] }, at);
  }
  const preview = [{ op: "open", pointer: "/a", value: {} }, { op: "value", pointer: "/a" + "/b".repeat(100_000), value: 1 }];
  assert.deepEqual(after(status("s-1", "buffering", { preview })).parts[0].preview, { a: {} });
});

test("a preview costs no more with its members, and the one before stays as it was", () => {
  const grow = (value, more) => (n) => [
    status("1", "buffering", { preview: [{ op: "open", pointer: "/a", value }] }),
    ...Array.from({ length: n }, (_, at) => status("1", "buffering", { preview: [{ op: "value", pointer: `/a/${more}${at}`, value: at }] })),
  ];
  for (const stream of [grow({}, "k"), grow([], "")]) {
    const [one, two] = [1000, 2000].map((n) => looked(stream(n)) / n);
    assert.ok(two < 1.5 * one + 1, `${one} then ${two} items for each change`);
    const [first, ...rest] = stream(50);
    const messages = rest.reduce((all, event) => [...all, reduce(all.at(-1), event)], [reduce(initial(), first)]);
    messages.forEach((message, at) => assert.equal(Object.keys(message.parts[0].preview.a).length, at));
    const [{ preview }] = messages.at(-1).parts;
    assert.equal(messages.at(-1).parts[0].preview, preview);
    const other = (event) => reduce(messages[10], event).parts[0].preview;
    assert.deepEqual(Object.values(other(rest[10]).a), Array.from({ length: 11 }, (_, at) => at));
    const beside = status("1", "buffering", { preview: [{ op: "value", pointer: "/b", value: 1 }] });
    assert.equal(other(beside).a, messages[10].parts[0].preview.a);
    assert.equal(Object.keys(preview.a).length, 50);
  }
});

test("whatever JSON an event holds, it is read or is told as one that cannot be read", () => {
  let seed = 7;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const one = (items) => items[random(items.length)];
  const odd = () => one([null, 1, "", "x", [], {}, [1], { toString: 1 }, { length: 9e8 }, "/a", "running", true]);
  const or = (usual) => (random(6) ? usual() : odd());
  const change = () => ({
    op: or(() => one(["open", "open", "text", "close", "value"])),
    pointer: or(() => one(["/a", "/a/0", "/a/1", "/a/9999999999", "/a/b", "/a/0/b", "", "/", "/constructor/x", "/__proto__"])),
    value: or(() => one(["", [], {}, "text", 1])),
  });
  const data = {
    text: () => "t",
    "json-tool-status": () => ({ id: or(() => one(["s-1", "s-2"])), status: or(() => one(["buffering", "released", "approving"])), preview: or(() => [change(), or(change), change()]) }),
    "json-tool-block": () => ({ ...block("s-1").data, parts: or(() => 2), arguments: odd(), found: or(() => []) }),
    "json-tool-result": () => ({ id: "s-1", ok: or(() => true), text: or(() => "x") }),
    done: () => ({ ending: or(() => "stopped") }),
    error: () => ({ message: or(() => "m"), ending: or(() => "interrupted") }),
  };
  const endings = new Set();
  for (let round = 0; round < 1000; round++) {
    let message = initial();
    for (let at = 0; at < 6; at++) {
      const type = one(Object.keys(data).slice(0, at < 5 ? 4 : 6));
      message = reduce(message, JSON.parse(JSON.stringify({ type, data: or(data[type]) })));
      assert.ok(JSON.stringify(message.parts).length < 5000);
    }
    endings.add(message.ending);
  }
  assert.deepEqual([...endings].sort(), ["done", "failed", "interrupted", "running", "stopped"]);
});
