// Reads streams as apps do: chunks with the reader of the `ai` package, and events with the verifier of AG-UI's own client.
//
// Takes {aiSdk: [[chunk, ...], ...], agUi: [[event, ...], ...]} as JSON on standard input. Prints lists of {text, calls} or {error}.

import { verifyEvents } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { readUIMessageStream, uiMessageChunkSchema } from "ai";
import { from, lastValueFrom, toArray } from "rxjs";

async function chunksRead(chunks) {
  const { validate } = typeof uiMessageChunkSchema === "function" ? uiMessageChunkSchema() : uiMessageChunkSchema;
  for (const chunk of chunks) {
    const { success, error } = await validate(chunk);
    if (!success) throw error;
  }
  const failures = [];
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let message;
  const states = readUIMessageStream({ stream, onError: (error) => failures.push(error) });
  for await (const state of states) message = state;
  const told = chunks.filter(({ type }) => type === "error").map(({ errorText }) => errorText);
  for (const failure of failures) if (!told.includes(failure.message)) throw failure;
  const text = message.parts.filter(({ type }) => type === "text").map((part) => part.text);
  const calls = message.parts.filter(({ state }) => state === "input-available");
  const blocks = message.parts.filter(({ type }) => type === "data-json-tool-block");
  return { text: text.join(""), calls: calls.map(({ type, input }) => [type.slice("tool-".length), input]), blocks: blocks.length };
}

async function eventsVerified(events) {
  const parsed = events.map((event) => EventSchemas.parse(event));
  const seen = await lastValueFrom(from(parsed).pipe(verifyEvents(false), toArray()));
  const of = (type) => seen.filter((event) => event.type === type);
  const messages = Object.groupBy(of("TEXT_MESSAGE_CONTENT"), ({ messageId }) => messageId);
  const text = Object.values(messages).flat().map(({ delta }) => delta);
  const args = Object.groupBy(of("TOOL_CALL_ARGS"), ({ toolCallId }) => toolCallId);
  const calls = of("TOOL_CALL_START").map(({ toolCallId, toolCallName }) => [
    toolCallName,
    JSON.parse((args[toolCallId] ?? []).map(({ delta }) => delta).join("")),
  ]);
  return { text: text.join(""), calls, blocks: of("CUSTOM").filter(({ name }) => name === "json-tool-block").length };
}

const each = (streams, read) =>
  Promise.all(streams.map((stream) => read(stream).catch((error) => ({ error: String(error?.stack ?? error) }))));

let written = "";
for await (const chunk of process.stdin) written += chunk;
const { aiSdk, agUi } = JSON.parse(written);
process.stdout.write(JSON.stringify({ aiSdk: await each(aiSdk, chunksRead), agUi: await each(agUi, eventsVerified) }));
