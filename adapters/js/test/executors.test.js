import assert from "node:assert/strict";
import { test } from "node:test";
import { Executors, JsonToolParser, Refused, fromAgUi, fromAiSdk } from "../src/index.js";

delete globalThis.sessionStorage; // where Node has one: each test says what is remembered
const call = { id: "c-1", tool: "write_file", path: "a", content: "x", args: { path: "a", content: "x" }, status: "detected" };
const wait = () => new Promise((done) => setImmediate(done));

/** A store as a browser has it; `full` takes nothing more. */
class Store {
  kept = new Map();
  full = false;
  getItem(key) {
    return this.kept.get(key) ?? null;
  }
  setItem(key, value) {
    if (this.full) throw new DOMException("no room", "QuotaExceededError");
    this.kept.set(key, value);
  }
  removeItem(key) {
    this.kept.delete(key);
  }
}

test("a call goes through its statuses, and is run once however often it is handed in", async () => {
  const seen = [];
  let runs = 0;
  const executors = new Executors({ onChange: ({ status }) => seen.push(status) }).register("write_file", async () => ++runs);
  const outcomes = await Promise.all([executors.run(call), executors.run(call), executors.run({ ...call })]);
  assert.deepEqual(outcomes, Array(3).fill({ status: "completed", result: 1 }));
  assert.deepEqual(seen, ["processing", "executing", "completed"]);
});

test("what is thrown is a failure, and says why", async () => {
  for (const thrown of [new Error("no"), "no", new Refused("no")]) {
    let runs = 0;
    const executors = new Executors().register("write_file", () => {
      runs++;
      throw thrown;
    });
    for (let again = 0; again < 2; again++) {
      const { status, error } = await executors.run(call);
      assert.deepEqual([status, error.message], ["failed", "no"]);
    }
    assert.equal(runs, 1);
  }
});

test("a call whose members throw is a failure, and no rejection", async () => {
  const thrown = { get() { throw new Error("no"); } };
  for (const call of [new Proxy({}, thrown), Object.defineProperty({ id: "a" }, "tool", thrown), Object.defineProperty({}, "id", thrown)])
    assert.equal((await new Executors({ store: null }).run(call)).status, "failed");
});

test("a tool that nothing runs is refused, unless there is one for any; and may be run later", async () => {
  const executors = new Executors();
  const { status, error } = await executors.run(call);
  assert.deepEqual([status, error instanceof Refused, error.message], ["failed", true, "No function is registered for write_file: call register"]);
  assert.equal((await executors.register("*", () => 1).run(call)).status, "completed");
});

const bad = {
  "no call": null,
  "a text": "write_file",
  "no id": { ...call, id: "" },
  "an id that is no text": { ...call, id: 7 },
  "no arguments": { ...call, args: undefined },
  "an argument that is missing": { ...call, args: { path: "a" } },
  "an argument too many": { ...call, args: { ...call.args, mode: 7 } },
  "a path outside": { ...call, args: { ...call.args, path: "../a" } },
  "another tool in the arguments": { ...call, args: { ...call.args, tool: "write_file" } },
  "a tool that is not known": { ...call, tool: "run_shell" },
  "a prototype": { ...call, args: JSON.parse('{"path": "a", "content": "x", "__proto__": {}}') },
  "a function": { ...call, args: { path: "a", content: () => "x" } },
  "a circle": { ...call, args: (() => { const args = { path: "a" }; args.content = args; return args; })() }, // prettier-ignore
};
for (const [name, given] of Object.entries(bad)) {
  test(`${name} is refused with a clear result, and nothing runs or is remembered`, async () => {
    const store = new Store();
    const executors = new Executors({ store }).register("*", () => assert.fail("it ran"));
    const { status, error } = await executors.run(given);
    assert.deepEqual([status, error instanceof Refused, store.kept.size], ["failed", true, 0]);
    assert.match(error.message, /^(Not a whole call of a known tool|The call has no id)/);
  });
}

test("what runs is what the guard took: neither what stands beside it nor what it becomes", async () => {
  let ran;
  const given = { ...call, path: "../../etc/passwd", content: "evil", args: { path: "a", content: "x" } };
  const executors = new Executors({ store: new Store() }).register("write_file", (it) => (ran = it));
  const run = executors.run(given);
  given.args.path = "b";
  await run;
  assert.deepEqual([ran.path, ran.content, ran.args], ["a", "x", { path: "a", content: "x" }]);
});

test("tools of your own run with a guard of your own", async () => {
  const guard = (value) => value.tool === "get_weather" && typeof value.city === "string";
  const executors = new Executors({ guard }).register("get_weather", ({ args }) => args.city);
  assert.equal((await executors.run({ id: "1", tool: "get_weather", path: "", args: { city: "Rio" } })).result, "Rio");
  assert.ok((await executors.run({ id: "2", tool: "get_weather", path: "", args: {} })).error instanceof Refused);
  const broken = new Executors({ guard: () => JSON.parse("") }).register("*", () => assert.fail("it ran"));
  assert.ok((await broken.run(call)).error instanceof Refused);
});

test("another call under the id of one that ran is refused, and not taken for it", async () => {
  const other = { ...call, args: { ...call.args, content: "y" } };
  const store = new Store();
  let runs = 0;
  for (let page = 0; page < 2; page++) {
    const executors = new Executors({ store }).register("*", () => ++runs);
    assert.equal((await executors.run(call)).result, 1);
    assert.match((await executors.run(other)).error.message, /Another call ran under the id c-1/);
  }
  assert.equal(runs, 1);
});

test("a page that is loaded again runs nothing again, and knows what came of it", async () => {
  for (const store of [new Store(), { getItem: async (key) => kept.get(key), setItem: async (key, value) => kept.set(key, value) }]) {
    let runs = 0;
    const page = () => new Executors({ store }).register("write_file", async () => ({ run: ++runs }));
    assert.deepEqual(await page().run(call), { status: "completed", result: { run: 1 } });
    for (let again = 0; again < 3; again++)
      assert.deepEqual(await page().run(call), { status: "completed", result: { run: 1 }, remembered: true });
    assert.equal(runs, 1);
  }
});
const kept = new Map();

test("a failure is remembered as one", async () => {
  const store = new Store();
  const fails = () => {
    throw new Error("no room");
  };
  await new Executors({ store }).register("*", fails).run(call);
  const { status, error, remembered } = await new Executors({ store }).register("*", () => assert.fail("it ran")).run(call);
  assert.deepEqual([status, error.message, remembered], ["failed", "no room", true]);
});

test("a call that was cut off by a reload is not run again by itself, and is by order", async () => {
  const store = new Store();
  let left;
  const lost = new Executors({ store }).register("*", () => new Promise((done) => (left = done)));
  const first = lost.run(call);
  while (!left) await wait();
  const snapshot = new Store(); // what the next page finds
  snapshot.kept = new Map(store.kept);
  let runs = 0;
  const next = await import("../src/executors.js?next"); // what a page loads is its own
  const executors = new next.Executors({ store: snapshot }).register("*", () => ++runs);
  const { error, remembered } = await withoutLocks(() => executors.run(call));
  assert.deepEqual([error instanceof next.Refused, remembered, runs], [true, true, 0]);
  await executors.forget(call.id);
  assert.equal((await withoutLocks(() => executors.run(call))).result, 1);
  left();
  await first;
});

/** As where a browser has no locks: a page that is gone holds none either. */
async function withoutLocks(act) {
  const had = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  try {
    return await act();
  } finally {
    if (had) Object.defineProperty(globalThis, "navigator", had);
    else delete globalThis.navigator;
  }
}

test("two pages at once run it once", { skip: !globalThis.navigator?.locks && "no locks here" }, async () => {
  const store = new Store();
  let runs = 0;
  const page = () => new Executors({ store }).register("*", async () => (await wait(), ++runs));
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => page().run(call)));
  assert.deepEqual([runs, new Set(outcomes.map(({ result }) => result))], [1, new Set([1])]);
});

test("a page that sees late what another kept waits for it", { skip: !globalThis.navigator?.locks && "no locks here" }, async (t) => {
  const late = new Store();
  Object.defineProperty(globalThis, "localStorage", { value: late, configurable: true, writable: true });
  t.after(() => delete globalThis.localStorage);
  let runs = 0;
  const page = () => new Executors({ store: late }).register("*", () => ++runs);
  await page().run(call);
  const [[, outcome]] = [...late.kept];
  for (const seen of [null, JSON.stringify({ ...JSON.parse(outcome), status: "executing" })]) {
    const views = [seen, seen, seen];
    late.getItem = (key) => (views.length ? views.pop() : late.kept.get(key));
    assert.deepEqual(await page().run(call), { status: "completed", result: 1, remembered: true });
    assert.equal(views.length, 0);
  }
  const one = page();
  await one.forget(call.id);
  assert.deepEqual([(await one.run(call)).result, runs], [2, 2]);
});

test("two on one page at once run it once, also where there are no locks", async () => {
  for (const store of [new Store(), slow(new Store())]) {
    let runs = 0;
    const page = () => new Executors({ store }).register("*", async () => (await wait(), ++runs));
    const outcomes = await withoutLocks(() => Promise.all(Array.from({ length: 20 }, () => page().run(call))));
    assert.deepEqual([runs, new Set(outcomes.map(({ result }) => result))], [1, new Set([1])]);
  }
  const refusing = new Executors({ store: { getItem: () => Promise.reject(new Error("closed")) } }).register("*", () => 1);
  const [one, other] = await withoutLocks(() => Promise.all([refusing.run(call), new Executors({ store: new Store() }).register("*", () => 2).run(call)]));
  assert.deepEqual([one.status, other.result], ["failed", 2]);
});

/** A store whose answers take a while. */
function slow(store) {
  const later = (name) => async (...given) => (await wait(), store[name](...given));
  return Object.fromEntries(["getItem", "setItem", "removeItem"].map((name) => [name, later(name)]));
}

test("where nothing can be remembered nothing is run", async () => {
  const store = new Store();
  store.full = true;
  const executors = new Executors({ store }).register("*", () => 1);
  assert.match((await executors.run(call)).error.message, /^The store failed/);
  store.full = false;
  assert.equal((await executors.run(call)).result, 1);
  for (const broken of [{ getItem: () => { throw new Error("closed"); } }, { getItem: async () => { throw new Error("closed"); } }]) // prettier-ignore
    assert.ok((await new Executors({ store: broken }).register("*", () => assert.fail("it ran")).run(call)).error instanceof Refused);
});

test("a result that finds no room leaves that it ran", async () => {
  for (const result of [() => 1, 1n, "x".repeat(2_000)]) {
    const store = new Store();
    const put = store.setItem;
    store.setItem = function (key, value) {
      this.full = value.length > 1_000;
      put.call(this, key, value);
    };
    const found = await new Executors({ store }).register("*", () => result).run(call);
    assert.equal(found.result, result);
    const { status, remembered } = await new Executors({ store }).register("*", () => assert.fail("it ran")).run(call);
    assert.deepEqual([status, remembered], ["completed", true]);
  }
});

test("whoever is told of a call may hand it in again", async () => {
  for (const store of [null, new Store()]) {
    let runs = 0;
    const again = [];
    const onChange = (changed) => again.length < 50 && again.push(executors.run({ ...changed, status: "detected" }));
    const executors = new Executors({ store, onChange }).register("*", () => ++runs);
    await executors.run(call);
    assert.deepEqual([runs, new Set((await Promise.all(again)).map(({ result }) => result))], [1, new Set([1])]);
  }
});

test("a place in the store that is somebody else's is not taken for an outcome", async () => {
  for (const text of ["", "null", "[]", "completed", '{"status": "completed"}']) {
    const store = new Store();
    store.kept.set("stream-guard-client:ran:c-1", text);
    const { error } = await new Executors({ store }).register("*", () => assert.fail("it ran")).run(call);
    assert.ok(error instanceof Refused, text);
  }
  for (const known of [{}, 7, false, ["completed"]]) {
    const store = { getItem: () => known, setItem: () => assert.fail("it was claimed") };
    assert.ok((await new Executors({ store }).register("*", () => assert.fail("it ran")).run(call)).error instanceof Refused);
  }
});

test("a server that remembers needs no store", async () => {
  let runs = 0;
  for (let page = 0; page < 2; page++) await new Executors({ store: null }).register("*", () => ++runs).run(call);
  assert.equal(runs, 2);
});

test("what is told of a call may fail, and the call does not", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  let runs = 0;
  let turn = 0;
  const onChange = () => {
    if (turn++ % 2) return Promise.reject(new Error("the page is broken"));
    throw new Error("the page is broken");
  };
  const executors = new Executors({ onChange }).register("*", () => ++runs);
  assert.deepEqual(await executors.run(call), { status: "completed", result: 1 });
  assert.equal(said.mock.callCount(), 3);
});

test("what the parser hands out is run", async () => {
  const [found] = new JsonToolParser().parseJsonTools('```json\n{"tool": "delete_file", "path": "a/b"}\n```', "m-1");
  assert.equal((await new Executors().register("delete_file", ({ path }) => path).run(found)).result, "a/b");
});

const block = { id: "s-1", content: "", executable: true, found: [], issues: [], fixes: [], attempts: [] };
const status = { id: "s-1", status: "buffering" };

test("parts of the AI SDK are the same events", () => {
  assert.deepEqual(fromAiSdk({ type: "data-json-tool-block", data: block }), { type: "json-tool-block", data: block });
  assert.deepEqual(fromAiSdk({ type: "data-json-tool-status", data: status }), { type: "json-tool-status", data: status });
  assert.deepEqual(fromAiSdk({ type: "text-delta", id: "t", delta: "x" }), { type: "text", data: "x" });
  for (const part of [{ type: "data-other", data: {} }, { type: "data-done", data: {} }, { type: "json-tool-block", data: block }, { type: "finish" }, {}, null])
    assert.equal(fromAiSdk(part), null);
  for (const part of [{ type: "data-json-tool-block" }, { type: "data-json-tool-block", data: {} }, { type: "text-delta" }])
    assert.equal(fromAiSdk(part).type, "malformed");
});

test("custom events of AG-UI are the same events", () => {
  assert.deepEqual(fromAgUi({ type: "CUSTOM", name: "json-tool-block", value: block }), { type: "json-tool-block", data: block });
  assert.deepEqual(fromAgUi({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" }), { type: "text", data: "x" });
  for (const event of [{ type: "CUSTOM", name: "other", value: {} }, { type: "CUSTOM", name: 7 }, { type: "CUSTOM" }, { type: "RUN_FINISHED" }, null])
    assert.equal(fromAgUi(event), null);
  assert.equal(fromAgUi({ type: "CUSTOM", name: "json-tool-block", value: null }).type, "malformed");
});

test("a call whose store never settles is refused and not run, and one that has run has its outcome", async (context) => {
  for (const [method, after, expected] of [
    ["getItem", 0, ["failed", 0]],
    ["setItem", 0, ["failed", 0]],
    ["setItem", 1, ["completed", 1]],
    ["removeItem", 0, ["completed", 1]],
  ]) {
    const store = new Store();
    const real = store[method].bind(store);
    let asked = 0;
    store[method] = (...given) => (asked++ < after ? real(...given) : new Promise(() => {}));
    let runs = 0;
    const executors = new Executors({ store }).register("write_file", () => ++runs);
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const ticking = setInterval(() => context.mock.timers.tick(15_000), 5);
    const outcome = await executors.run({ ...call, id: `${method}${after}` });
    assert.deepEqual([outcome.status, runs], expected);
    if (outcome.status === "failed") assert.ok(outcome.error instanceof Refused);
    if (method === "removeItem") await assert.rejects(executors.forget(`${method}${after}`), /does not answer/);
    clearInterval(ticking);
    context.mock.timers.reset();
  }
});

test("a claim that arrives late runs nothing", async (context) => {
  const store = new Store();
  const real = store.setItem.bind(store);
  let arrive = () => {};
  store.setItem = (...given) => new Promise((done) => (arrive = () => done(real(...given))));
  let runs = 0;
  const executors = new Executors({ store }).register("write_file", () => ++runs);
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const ticking = setInterval(() => context.mock.timers.tick(15_000), 5);
  assert.ok((await executors.run(call)).error instanceof Refused);
  clearInterval(ticking);
  context.mock.timers.reset();
  arrive();
  await wait();
  store.setItem = real;
  assert.deepEqual([(await executors.run(call)).status, runs], ["failed", 0]);
});
