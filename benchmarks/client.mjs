// How the browser's client grows: the same work on twice as much, in milliseconds. `node benchmarks/client.mjs`
//
// That it is linear is counted by its tests, and timed by client_shapes.mjs; this is what it costs.
import { performance } from "node:perf_hooks";
import { JsonToolParser, initial, reduce } from "../adapters/js/src/index.js";
import { SseReader } from "../adapters/js/src/sse.js";

const none = { found: [], issues: [], fixes: [], attempts: [] };
const block = (id, part = 1) => ({ type: "json-tool-block", data: { id, part, content: "", executable: true, ...none } });
const held = (id) => ({ type: "json-tool-status", data: { id, status: "buffering" } });
const fenced = (body) => `\`\`\`json\n${body}\n\`\`\`\n`;
const call = (content) => JSON.stringify({ tool: "write_file", path: "a.txt", content });
const reduced = (events) => events.reduce(reduce, initial()).parts.length;
const parsed = (text) => new JsonToolParser().parseJsonTools(text).length;

const works = {
  "reduce: blocks, each with text and a status (thousands)": [
    (n) => Array.from({ length: n * 1000 }, (_, at) => [{ type: "text", data: "x" }, held(`${at}`), block(`${at}`)]).flat(),
    reduced,
    [5, 10, 20, 40],
  ],
  "reduce: calls of one fence (thousands)": [(n) => Array.from({ length: n * 1000 }, (_, at) => block("1", at + 1)), reduced, [5, 10, 20, 40]],
  "reduce: pieces of text (thousands)": [(n) => Array.from({ length: n * 1000 }, () => ({ type: "text", data: "word " })), reduced, [25, 50, 100]],
  "parser: one block (KB)": [(n) => fenced(call('a "quoted" \\ line\n'.repeat(n * 54))), parsed, [256, 512, 1024, 2048]],
  "parser: many blocks (KB)": [(n) => fenced(call("x")).repeat(n * 14), parsed, [256, 512, 1024]],
  "server-sent events in pieces of 1 KB (KB)": [
    (n) => "event: text\r\nid: 1-0\r\ndata: \"a word\"\r\n\r\n".repeat(n * 22),
    (text) => {
      const reader = new SseReader();
      for (let at = 0; at < text.length; at += 1024) reader.feed(text.slice(at, at + 1024));
    },
    [256, 512, 1024, 2048],
  ],
};

for (const [what, [make, work, sizes]] of Object.entries(works)) {
  const spent = sizes.map((size) => {
    const given = make(size);
    const turns = Array.from({ length: 5 }, () => {
      const begun = performance.now();
      work(given);
      return performance.now() - begun;
    });
    return `${size}: ${turns.sort((one, other) => one - other)[2].toFixed(1)}`;
  });
  console.log(`${what.padEnd(58)} ${spent.join("  ")}`);
}
