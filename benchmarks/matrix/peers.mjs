// Peers in JavaScript, as programs for the conformance runner: node peers.mjs NAME. Each is called as its documentation says.
// jsonrepair and the AI SDK's parser stand in the same naive client as the peers in Python (peers.py); what validates the arguments
// is jsonschema-rs there, and ajv here.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import Ajv from "ajv/dist/2020.js";

const of = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
const ajv = new Ajv({ strict: false, validateFormats: false });
const validators = new Map();

function valid(question, name, given) {
  const key = JSON.stringify(question.tools);
  if (!validators.has(key)) {
    validators.set(key, new Map(question.tools.map((tool) => [tool.name, ajv.compile(tool.input_schema)])));
  }
  const schema = validators.get(key).get(name);
  return schema !== undefined && schema(given);
}

function naive(name, loads, ...more) {
  const capabilities = ["fence", "several", "streams", "text", "intent", "endings", "schemas", ...more];
  return {
    name,
    capabilities,
    async read(question) {
      const text = question.input.join("");
      const items = [];
      let at = 0;
      for (const found of text.matchAll(/^```json[^\n]*\n([\s\S]*?)^```/gm)) {
        let value;
        try {
          value = await loads(found[1]);
        } catch {
          continue;
        }
        if (value === null || typeof value !== "object" || typeof value.tool !== "string") continue;
        const { tool, ...given } = value;
        if (!valid(question, tool, given)) continue;
        items.push({ text: text.slice(at, found.index) }, { call: { name: tool, arguments: given } });
        at = found.index + found[0].length;
      }
      return [...items, { text: text.slice(at) }];
    },
  };
}

const peers = {
  async jsonrepair() {
    const { jsonrepair } = await import("jsonrepair");
    return naive(`jsonrepair ${of("jsonrepair")}`, (body) => JSON.parse(jsonrepair(body)), "repair");
  },
  async "ai-sdk"() {
    const { parsePartialJson } = await import("ai");
    return naive(`AI SDK parsePartialJson ${of("ai")}`, async (body) => (await parsePartialJson(body)).value ?? null);
  },
  async "ai-sdk-tool"() {
    const { hermesProtocol, qwen3CoderProtocol } = await import("@ai-sdk-tool/parser");
    const protocols = { hermes: hermesProtocol, qwen3_coder: qwen3CoderProtocol }; // the third writes values without the line ends of `cline_xml`;
    return {
      name: `@ai-sdk-tool/parser ${of("@ai-sdk-tool/parser")}`,
      capabilities: ["several", "streams", "text", "schemas", ...Object.keys(protocols).map((name) => `dialect:${name}`)],
      async read(question) {
        const tools = question.tools.map(({ name, description, input_schema: inputSchema }) => ({ type: "function", name, description, inputSchema }));
        const source = new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "text-start", id: "t" });
            for (const delta of question.input) controller.enqueue({ type: "text-delta", id: "t", delta });
            controller.enqueue({ type: "text-end", id: "t" });
            controller.enqueue({ type: "finish", finishReason: question.end, usage: {} });
            controller.close();
          },
        });
        const items = [];
        for await (const part of source.pipeThrough((protocols[question.dialect] ?? hermesProtocol)().createStreamParser({ tools }))) {
          if (part.type === "text-delta") items.push({ text: part.delta });
          if (part.type === "tool-call") {
            const given = JSON.parse(part.input);
            if (valid(question, part.toolName, given)) items.push({ call: { name: part.toolName, arguments: given } });
          }
        }
        return items;
      },
    };
  },
};

const peer = await peers[process.argv[2]]();
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const said = asked.ask === "capabilities" ? { name: peer.name, capabilities: peer.capabilities } : { id: asked.id, items: await peer.read(asked) };
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
