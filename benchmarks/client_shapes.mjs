// How long the browser's client takes for each of some hundred shapes, as each doubles from 16 KB to 512 KB.
//
//     node benchmarks/client_shapes.mjs             all; what is more than linear is told, and ends the run with 1
//     node benchmarks/client_shapes.mjs "a string"  the contexts, or tokens, with this in their name
//
// A shape is a token, repeated, in a context. What the client itself looks at is counted by its tests; here is what patterns and other
// code of the engine do, which can only be timed. All milliseconds are a processor's, so a busy machine changes little.
//
// Rule: a shape is measured up to the size at which it takes `PATIENCE`, so that one that is cubic ends, too.
import { GuardedStream, JsonToolParser, fromAiSdk, guardEvents, initial, read, reduce } from "../adapters/js/src/index.js";
import { SseReader } from "../adapters/js/src/sse.js";
import { TEXTS, TOKENS, fenced } from "../adapters/js/test/kit/shapes.js";

const SIZES = [16_384, 32_768, 65_536, 131_072, 262_144, 524_288];
/** Milliseconds after which a shape is not made any larger. */
const PATIENCE = 1000;
/** Milliseconds that are worth to be looked at: what takes less may grow as it likes. */
const WORTH = 30;
/** Twice the text may take so many times as long, twice in a row; more is more than linear, with room for what a machine does besides. */
const GROWS = 3;

const none = { found: [], issues: [], fixes: [], attempts: [] };
const HEAD = '{"tool": "write_file", "path": "a.txt", "content": "';
const parsed = (text) => () => new JsonToolParser().parseJsonTools(text);
const blockOf = (content, part = 1) => ({ type: "json-tool-block", data: { id: "b", part, parts: 1, tool: "write_file", content, executable: true, ...none } });
const reduced = (events) => () => events.reduce(reduce, initial()).parts.length;
const status = (preview) => ({ type: "json-tool-status", data: { id: "b", seq: 1, status: "buffering", preview } });
/** The bytes of a stream, in pieces of a size. */
const streamed = (text, size) => async () => {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const pull = (controller) => (at < bytes.length ? controller.enqueue(bytes.subarray(at, (at += size))) : controller.close());
  const response = new Response(new ReadableStream({ pull }), { headers: { "content-type": "text/event-stream" } });
  let message = initial();
  try {
    for await (const event of guardEvents(response, { idle: 0 })) message = reduce(message, event);
  } catch {
    // it has no end
  }
};
/** A page's store of a stream, whose listener looks at what it shows. */
const shown = (events) => async () => {
  const body = events.map(({ type, data }) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  const executors = { guard: () => true, has: () => true, run: async () => ({ status: "completed", result: null }) };
  const stream = new GuardedStream(async () => new Response(body, { headers }), { executors });
  await new Promise((over) => {
    const leave = stream.subscribe(() => stream.getSnapshot().state === "closed" && over(leave?.()));
  });
};
const many = (make, size) => Array.from({ length: size }, (_, at) => make(at));

/** What a token is read as, repeated. */
const CONTEXTS = {
  "a block": (text) => () => new JsonToolParser().parseBlock(blockOf(fenced(text)).data),
  "an event": (text) => () => reduce(initial(), read("text", JSON.stringify(text))),
  "a block's event": (text) => () => reduce(initial(), read("json-tool-block", JSON.stringify(blockOf(text).data))),
  "a wild event": (text) => () => reduce(initial(), read("json-tool-block", text)),
  "an id": (text) => reduced([text.slice(1), text].map((id) => ({ type: "text", data: "x", id: `${id}-1` }))),
  "a part of the AI SDK": (text) => () => fromAiSdk({ type: "data-json-tool-block", data: blockOf(text).data }),
  wire: (text) => streamed(text, 1024),
  "wire in slices": (text) => () => {
    const reader = new SseReader();
    for (let at = 0; at < text.length; at += 7) reader.feed(text.slice(at, at + 7));
  },
  "wire data": (text) => streamed(`event: text\ndata: ${JSON.stringify(text)}\n\n`, 1024),
  "an id on the wire": (text) => streamed(many((at) => `id: ${text.slice(at)}-1\nevent: text\ndata: "x"\n\n`, 2).join(""), 1024),
  "a preview's text": (text) => reduced([status([{ op: "open", pointer: "/a", value: "" }]), ...many((at) => status([{ op: "text", pointer: "/a", value: text.slice(8 * at, 8 * at + 8) }]), text.length / 8)]),
  "a preview's name": (text) => reduced([status([{ op: "value", pointer: `/${text}`, value: 1 }, { op: "value", pointer: `/a${text}`, value: 1 }])]),
}; // prettier-ignore

/** Events, as many as there are in so many characters. */
const EVENTS = {
  "members of a preview": (size) => reduced([status([{ op: "open", pointer: "/o", value: {} }]), ...many((at) => status([{ op: "value", pointer: `/o/k${at}`, value: at }]), size / 16)]),
  "members of a preview in one event": (size) => reduced([status([{ op: "open", pointer: "/o", value: {} }, ...many((at) => ({ op: "value", pointer: `/o/k${at}`, value: at }), size / 16)])]),
  "items of a preview": (size) => reduced([status([{ op: "open", pointer: "/l", value: [] }]), ...many((at) => status([{ op: "value", pointer: `/l/${at}`, value: at }]), size / 16)]),
  "arguments of a preview": (size) => reduced(many((at) => status([{ op: "value", pointer: `/k${at}`, value: at }]), size / 16)),
  "objects of a preview": (size) => reduced([status([{ op: "open", pointer: "/l", value: [] }]), ...many((at) => status([{ op: "open", pointer: `/l/${at}`, value: {} }, { op: "value", pointer: `/l/${at}/a`, value: at }]), size / 32)]),
  "calls of one block": (size) => reduced(many((at) => blockOf("", at + 1), size / 64)),
  "blocks and texts": (size) => reduced(many((at) => [{ type: "text", data: "x" }, { ...blockOf(""), data: { ...blockOf("").data, id: `${at}` } }], size / 64).flat()),
  "blocks that come and go": (size) => reduced(many((at) => ["buffering", "released"].map((status) => ({ type: "json-tool-status", data: { id: "x", seq: 1, status } })).concat({ ...blockOf(""), data: { ...blockOf("").data, id: `${at}` } }), size / 64).flat()),
  "calls on a page": (size) => shown([...many((at) => ({ type: "json-tool-block", data: { ...blockOf(`\`\`\`json\n${HEAD}x"}\n\`\`\`\n`).data, id: `${at}` } }), size / 64), { type: "done", data: {} }]),
  "previews on a page": (size) => shown([status([{ op: "open", pointer: "/o", value: {} }]), ...many((at) => status([{ op: "value", pointer: `/o/k${at}`, value: at }]), size / 16), { type: "done", data: {} }]),
  "issues of a block": (size) => () => reduce(initial(), read("json-tool-block", JSON.stringify({ ...blockOf("").data, issues: many(() => ({ code: "c", message: "m" }), size / 32) }))),
}; // prettier-ignore

/** @param {() => unknown} run - Returns milliseconds of a processor, of several runs the fewest. */
async function timed(run) {
  const took = [];
  while (took.length < 3) {
    const begun = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(begun);
    took.push((user + system) / 1000);
    if (took.at(-1) > PATIENCE || took.at(-1) < WORTH / 3) break;
  }
  return Math.min(...took);
}

const only = process.argv[2] ?? "";
const shapes = [
  ...Object.entries(TEXTS).map(([name, text]) => [name, (size) => parsed(text(size))]),
  ...Object.entries(CONTEXTS).flatMap(([context, run]) =>
    Object.entries(TOKENS).map(([token, text]) => [`${context} of ${token}`, (size) => run(text.repeat(size / text.length))]),
  ),
  ...Object.entries(EVENTS),
].filter(([name]) => name.includes(only));
let bad = 0;
for (const [name, shape] of shapes) {
  const took = [];
  for (const size of SIZES) {
    took.push(await timed(shape(size)));
    if (took.at(-1) > PATIENCE) break;
  }
  if (!took.some((after, at) => at > 1 && after > WORTH && after > GROWS ** 2 * took[at - 2])) continue;
  bad++;
  console.log(`${name}: ${took.map((one) => one.toFixed(0)).join(" ")} ms`);
}
console.log(`${shapes.length} shapes, ${bad} of them more than linear`);
process.exitCode = bad ? 1 : 0;
