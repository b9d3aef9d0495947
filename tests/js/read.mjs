// Reads streams with the JavaScript clients of providers, as apps do, and prints what they make of them.
//
// Takes a list of {client, url} as JSON on standard input. Prints a list of {text, calls, events} or {error}, in that order.

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { jsonSchema, parseJsonEventStream, readUIMessageStream, streamText, tool, uiMessageChunkSchema } from "ai";
import OpenAI from "openai";

const messages = [{ role: "user", content: "x" }];
const openai = (url) => new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 });
const anthropic = (url) => new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0 });
const asked = { model: "m", max_tokens: 9, messages };

const anything = tool({ inputSchema: jsonSchema({ type: "object" }) });
const tools = { write_file: anything, delete_file: anything, weather: anything };

async function generated(model) {
  const errors = [];
  const result = streamText({ model, prompt: "x", tools, maxRetries: 0, onError: ({ error }) => errors.push(error) });
  let text = "";
  const calls = [];
  for await (const part of result.fullStream) {
    if (part.type === "text-delta") text += part.text;
    if (part.type === "tool-call") calls.push([part.toolName, part.input]);
  }
  if (errors.length) throw errors[0];
  return { text, calls, events: [] };
}

const told = (events, event) => event.stream_guard && events.push([event.stream_guard.event, event.stream_guard.data]);

const clients = {
  async "openai chat, raw"(url) {
    let text = "";
    const calls = [];
    const events = [];
    for await (const chunk of await openai(url).chat.completions.create({ model: "m", messages, stream: true })) {
      told(events, chunk);
      const { content, tool_calls } = chunk.choices[0].delta;
      text += content ?? "";
      for (const call of tool_calls ?? []) {
        calls[call.index] ??= [call.function.name, ""];
        calls[call.index][1] += call.function.arguments;
      }
    }
    return { text, calls: calls.map(([name, written]) => [name, JSON.parse(written)]), events };
  },
  async "openai chat, helper"(url) {
    const { message } = (await openai(url).chat.completions.stream({ model: "m", messages }).finalChatCompletion()).choices[0];
    const calls = (message.tool_calls ?? []).map((call) => [call.function.name, JSON.parse(call.function.arguments)]);
    return { text: message.content ?? "", calls, events: [] };
  },
  async "openai responses, raw"(url) {
    let text = "";
    const calls = [];
    const events = [];
    for await (const event of await openai(url).responses.create({ model: "m", input: "x", stream: true })) {
      told(events, event);
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.output_item.done" && event.item.type === "function_call")
        calls.push([event.item.name, JSON.parse(event.item.arguments)]);
    }
    return { text, calls, events };
  },
  async "openai responses, helper"(url) {
    const { output, output_text } = await openai(url).responses.stream({ model: "m", input: "x" }).finalResponse();
    const called = output.filter((item) => item.type === "function_call");
    return { text: output_text, calls: called.map((item) => [item.name, JSON.parse(item.arguments)]), events: [] };
  },
  async "anthropic, raw"(url) {
    let text = "";
    const calls = [];
    const events = [];
    for await (const event of await anthropic(url).messages.create({ ...asked, stream: true })) {
      told(events, event);
      if (event.type === "content_block_start" && event.content_block.type === "tool_use")
        calls[event.index] = [event.content_block.name, ""];
      if (event.type === "content_block_delta") {
        text += event.delta.text ?? "";
        if (event.delta.partial_json) calls[event.index][1] += event.delta.partial_json;
      }
    }
    return { text, calls: calls.filter(Boolean).map(([name, written]) => [name, JSON.parse(written)]), events };
  },
  async "anthropic, helper"(url) {
    const { content } = await anthropic(url).messages.stream(asked).finalMessage();
    const text = content.filter((block) => block.type === "text").map((block) => block.text);
    const calls = content.filter((block) => block.type === "tool_use").map((block) => [block.name, block.input]);
    return { text: text.join(""), calls, events: [] };
  },
  async "ai-sdk, raw"(url) {
    let text = "";
    const events = [];
    const calls = [];
    const { body } = await fetch(url);
    for await (const { success, value, error } of parseJsonEventStream({ stream: body, schema: uiMessageChunkSchema })) {
      if (!success) throw error;
      if (value.type === "text-delta") text += value.delta;
      if (value.type === "tool-input-available") calls.push([value.toolName, value.input]);
      if (value.type.startsWith("data-json-tool-")) events.push([value.type.slice(5), value.data]);
    }
    return { text, calls, events };
  },
  async "ai-sdk, helper"(url) {
    const { body } = await fetch(url);
    const chunks = parseJsonEventStream({ stream: body, schema: uiMessageChunkSchema }).pipeThrough(
      new TransformStream({
        transform(chunk, out) {
          if (!chunk.success) throw chunk.error;
          out.enqueue(chunk.value);
        },
      }),
    );
    let message;
    for await (const state of readUIMessageStream({ stream: chunks, onError: (error) => { throw error; } })) message = state;
    const text = message.parts.filter((part) => part.type === "text").map((part) => part.text);
    const blocks = message.parts.filter((part) => part.type === "data-json-tool-block");
    const called = message.parts.filter((part) => part.state === "input-available" || part.state === "output-available");
    const calls = called.map((part) => [part.type.slice("tool-".length), part.input]);
    return { text: text.join(""), calls, events: blocks.map((part) => ["json-tool-block", part.data]) };
  },
  "ai-sdk over chat": (url) => generated(createOpenAI({ apiKey: "k", baseURL: url }).chat("m")),
  "ai-sdk over responses": (url) => generated(createOpenAI({ apiKey: "k", baseURL: url }).responses("m")),
  "ai-sdk over messages": (url) => generated(createAnthropic({ apiKey: "k", baseURL: url })("m")),
};

let written = "";
for await (const chunk of process.stdin) written += chunk;
const read = [];
for (const { client, url } of JSON.parse(written)) {
  try {
    read.push(await clients[client](url));
  } catch (error) {
    read.push({ error: String(error) });
  }
}
console.log(JSON.stringify(read));
