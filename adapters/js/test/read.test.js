import assert from "node:assert/strict";
import { test } from "node:test";
import { MEMBERS } from "../src/events.js";
import { BLOCK, RESULT, STATUS, fromAiSdk, read } from "../src/index.js";

const EVENTS = { [STATUS]: "ToolStatus", [BLOCK]: "ToolBlock", [RESULT]: "ToolResult" };
const SAMPLES = { string: "x", integer: 1, number: 0.5, boolean: true, object: { a: 1 } };
/** Values of each type of JSON. */
const VALUES = { string: "x", integer: 1, number: 0.5, boolean: true, object: {}, list: [], null: null };

/** A whole value of a kind, with all of its members. */
const whole = (kind) => SAMPLES[kind] ?? Object.fromEntries(Object.entries(MEMBERS[kind]).map(([name, of]) => [name, name === "op" ? "open" : member(of)]));
const member = (of) => (typeof of === "string" ? whole(of) : [whole(of[0])]);

/** The values that a member of a kind cannot have. */
function wrong(of) {
  const kind = typeof of === "string" ? of : "list";
  const type = kind in SAMPLES || kind === "list" ? kind : "object";
  return Object.entries(VALUES).filter(([name]) => name !== type && !(name === "integer" && type === "number")).map(([, value]) => value);
}

/** Each way to spoil one member of a kind, or of what is in it, or an item of a list. */
function* spoilt(kind) {
  for (const [name, of] of Object.entries(MEMBERS[kind] ?? {})) {
    for (const value of wrong(of)) yield { ...whole(kind), [name]: value };
    const inner = typeof of === "string" ? of : of[0];
    if (typeof of !== "string") for (const item of wrong(inner)) yield { ...whole(kind), [name]: [whole(inner), item] };
    for (const part of spoilt(inner)) yield { ...whole(kind), [name]: typeof of === "string" ? part : [whole(inner), part] };
  }
}

test("an event of which one member, at any depth, is of another kind cannot be read", () => {
  for (const [type, kind] of Object.entries(EVENTS)) {
    assert.equal(read(type, JSON.stringify(whole(kind))).type, type);
    let count = 0;
    for (const data of spoilt(kind)) {
      count++;
      assert.equal(read(type, JSON.stringify(data)).type, "malformed", JSON.stringify(data));
      assert.equal(fromAiSdk({ type: `data-${type}`, data }).type, "malformed");
    }
    assert.ok(count > 100);
  }
});

test("an event of a later version is read: with members and texts that this one does not know, and without those that no page relies on", () => {
  const none = { found: [], issues: [], fixes: [], attempts: [] };
  const later = [
    [STATUS, { id: "a", status: "pondering", mood: { a: 1 } }],
    [BLOCK, { id: "a", content: "", executable: false, ...none, endCause: "moon", outcome: "odd", hint: { reason: "new", more: [] } }],
    [RESULT, { id: "a", ok: true, text: "", payload: null }],
  ];
  for (const [type, data] of later) assert.deepEqual(read(type, JSON.stringify(data)), { type, data });
});

test("a prototype is left out, whichever of its letters are escaped", () => {
  const name = "__proto__";
  for (let mask = 0; mask < 2 ** name.length; mask++) {
    for (const spelt of [(hex) => hex, (hex) => hex.toUpperCase()]) {
      const key = Array.from(name, (letter, at) => ((mask >> at) & 1 ? `\\u${spelt(letter.charCodeAt(0).toString(16).padStart(4, "0"))}` : letter)).join("");
      const { data } = read(STATUS, `{"id": "a", "status": "buffering", "arguments": {"b": [{"${key}": {"c": 1}}]}, "${key}": {"c": 1}}`);
      assert.deepEqual(data, { id: "a", status: "buffering", arguments: { b: [{}] } });
      assert.ok(![data, data.arguments.b[0]].some((one) => Object.hasOwn(one, name)), key);
    }
  }
});
