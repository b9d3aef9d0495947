// Programs as people write them, with JavaScript clients, unmodified, in front of a provider or of the gateway.
//
//     node programs.mjs BASE_URL[,BASE_URL] PROGRAM ... < scenarios, one a line      -> one line of JSON for each cell
//
// The rows are those of tests/kit/programs.py. It imports nothing of this project.

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";

globalThis.AI_SDK_LOG_WARNINGS = false;
const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const TOOL = { name: "weather", description: "The weather" };
const CHAT_TOOLS = [{ type: "function", function: { ...TOOL, parameters: SCHEMA } }];
const RESPONSES_TOOLS = [{ type: "function", ...TOOL, parameters: SCHEMA, strict: false }];
const messages = [{ role: "user", content: "What is the weather?" }];

const openai = (url) => new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, maxRetries: 0 });
const anthropic = (url) => new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 });
const asked = { max_tokens: 99, messages, tools: [{ ...TOOL, input_schema: SCHEMA }] };

// What a user of a program has of a reply.
class Seen {
  text = "";
  calls = [];
  reason = null;
  usage = false;
  answered = false;

  call(name, written) {
    let said = written;
    if (typeof written === "string") {
      try {
        said = JSON.parse(written);
      } catch {
        said = "no JSON";
      }
    }
    this.calls.push([name, said]);
  }

  message({ content, stop_reason, usage }) {
    this.text = content.filter((block) => block.type === "text").map((block) => block.text).join("");
    this.reason = stop_reason;
    this.usage = usage.output_tokens > 0;
    for (const block of content) if (block.type === "tool_use") this.call(block.name, block.input);
  }
}

async function chatCompletion(url, model, seen) {
  const choices = {};
  const calls = {};
  const n = model === "several-choices" ? { n: 2 } : {};
  const options = { model, messages, tools: CHAT_TOOLS, stream: true, stream_options: { include_usage: true }, ...n };
  for await (const chunk of await openai(url).chat.completions.create(options)) {
    seen.usage ||= Boolean(chunk.usage);
    for (const { index, delta, finish_reason } of chunk.choices) {
      choices[index] = (choices[index] ?? "") + (delta.content ?? "");
      seen.reason = finish_reason ?? seen.reason;
      for (const call of delta.tool_calls ?? []) {
        const held = (calls[`${index}-${call.index}`] ??= ["", ""]);
        held[0] += call.function?.name ?? "";
        held[1] += call.function?.arguments ?? "";
      }
    }
  }
  seen.text = Object.values(choices).join("\n--\n");
  for (const [name, written] of Object.values(calls)) seen.call(name, written);
}

// The client's own loop: it runs the tool, and sends its result.
async function chatRunner(url, model, seen) {
  const parse = (written) => JSON.parse(written);
  const run = ({ city }) => {
    seen.call("weather", { city });
    return "sunny";
  };
  const tools = [{ type: "function", function: { ...TOOL, parameters: SCHEMA, parse, function: run } }];
  const runner = openai(url).chat.completions.runTools({ model, messages, tools, stream: true }, { maxChatCompletions: 5 });
  seen.text = (await runner.finalContent()) ?? "";
  seen.answered = true;
}

async function response(url, model, seen) {
  const stream = openai(url).responses.stream({ model, input: "?", tools: RESPONSES_TOOLS });
  for await (const event of stream) {
    if (event.type === "response.output_text.delta") seen.text += event.delta;
    if (event.type === "response.output_item.done" && event.item.type === "function_call")
      seen.call(event.item.name, event.item.arguments);
    if (event.type === "response.completed" || event.type === "response.incomplete") {
      seen.reason = event.response.status;
      seen.usage = Boolean(event.response.usage);
    }
  }
}

async function message(url, model, seen) {
  const calls = {};
  for await (const event of await anthropic(url).messages.create({ ...asked, model, stream: true })) {
    if (event.type === "content_block_start" && event.content_block.type === "tool_use")
      calls[event.index] = [event.content_block.name, ""];
    if (event.type === "content_block_delta") {
      seen.text += event.delta.text ?? "";
      if (event.delta.type === "input_json_delta") calls[event.index][1] += event.delta.partial_json;
    }
    if (event.type === "message_delta") {
      seen.reason = event.delta.stop_reason;
      seen.usage = event.usage.output_tokens > 0;
    }
  }
  for (const [name, written] of Object.values(calls)) seen.call(name, written);
}

// An agent: `streamText` runs the tool, and asks again with its result.
async function agent(model, seen) {
  const execute = ({ city }) => {
    seen.call("weather", { city });
    return "sunny";
  };
  const tools = { weather: tool({ description: TOOL.description, inputSchema: jsonSchema(SCHEMA), execute }) };
  const errors = [];
  const onError = ({ error }) => errors.push(error);
  const result = streamText({ model, messages, tools, maxRetries: 0, stopWhen: stepCountIs(5), onError });
  let step = "";
  for await (const part of result.fullStream) {
    if (part.type === "start-step") step = "";
    if (part.type === "text-delta") step += part.text;
    if (part.type === "finish-step") {
      seen.reason = part.finishReason;
      seen.usage ||= (part.usage?.outputTokens ?? 0) > 0;
    }
  }
  seen.text = step;
  if (errors.length) throw errors[0];
  seen.answered = seen.reason !== "tool-calls";
}

const PROGRAMS = {
  "openai (js)": chatCompletion,
  "openai (js), its helper": chatRunner,
  "openai responses (js), its helper": response,
  "anthropic (js)": message,
  "anthropic (js), its helper": async (url, model, seen) =>
    seen.message(await anthropic(url).messages.stream({ ...asked, model }).finalMessage()),
  "AI SDK agent, chat": (url, model, seen) => agent(createOpenAI({ apiKey: "k", baseURL: `${url}/v1` }).chat(model), seen),
  "AI SDK agent, responses": (url, model, seen) =>
    agent(createOpenAI({ apiKey: "k", baseURL: `${url}/v1` }).responses(model), seen),
  "AI SDK agent, messages": (url, model, seen) =>
    agent(createAnthropic({ apiKey: "k", baseURL: `${url}/v1` })(model), seen),
};

const [urls, ...names] = process.argv.slice(2);
let written = "";
for await (const chunk of process.stdin) written += chunk;
for (const program of names) {
  for (const scenario of written.split("\n").filter(Boolean)) {
    for (const url of urls.split(",")) {
      const seen = new Seen();
      let error = null;
      try {
        await PROGRAMS[program](url, scenario.replaceAll(" ", "-"), seen);
      } catch (failed) {
        error = `${failed.name ?? "Error"}: ${failed.message}`.slice(0, 300); // what its user is told
      }
      console.log(JSON.stringify({ program, scenario, url, ...seen, error }));
    }
  }
}
