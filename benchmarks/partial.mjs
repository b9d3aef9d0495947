// A line of standard input is a list of deltas, as JSON, or "again". The answer is the value that the AI SDK's parser of partial JSON
// comes to when it is asked with every delta, as its streamObject does, and the milliseconds that took.
import { createInterface } from "node:readline";
import { performance } from "node:perf_hooks";
import { parsePartialJson } from "ai";

let deltas = [];
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== "again") deltas = JSON.parse(line);
  let text = "";
  let value = null;
  const start = performance.now();
  for (const delta of deltas) {
    text += delta;
    ({ value } = await parsePartialJson(text));
  }
  process.stdout.write(JSON.stringify([value, performance.now() - start]) + "\n");
}
