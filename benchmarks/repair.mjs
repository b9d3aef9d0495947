// One body a line of standard input, as JSON; one answer a line: the value (null when refused) and the milliseconds it took.
import { createInterface } from "node:readline";
import { performance } from "node:perf_hooks";
import { jsonrepair } from "jsonrepair";

for await (const line of createInterface({ input: process.stdin })) {
  const body = JSON.parse(line);
  let value = null;
  const start = performance.now();
  try {
    value = JSON.parse(jsonrepair(body));
  } catch {}
  process.stdout.write(JSON.stringify([value, performance.now() - start]) + "\n");
}
