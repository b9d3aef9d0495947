import assert from "node:assert/strict";
import { test } from "node:test";
import { effectScope, nextTick, shallowRef } from "vue";
import { initial, reduce } from "../src/index.js";
import { useGuardedStream } from "../src/vue.js";
import { done, serves, sse, text } from "./kit/server.js";

const kept = (id) => reduce(initial(), { type: "text", data: `kept ${id}. `, id });

test("a kept message is of the source that it came with: no other begins with it, and that one again", async () => {
  const asked = [];
  const url = serves((request, response) => {
    const after = request.headers["last-event-id"] ?? "";
    asked.push([request.url, after]);
    const next = parseInt(after || "0") + 1;
    sse(response).end(text(next) + done(next + 1));
  });
  const options = { message: kept("5-1") };
  const scope = effectScope();
  const source = shallowRef(`${url}one`);
  const { message } = scope.run(() => useGuardedStream(source, options));
  const show = async (other) => {
    if (other) source.value = other;
    await nextTick();
    while (message.value.ending === "running") await new Promise((later) => setTimeout(later, 1));
    return message.value.parts.map((part) => part.text).join("");
  };
  assert.match(await show(), /^kept 5-1\. é6$/);
  for (const other of [`${url}two`, new URL(`${url}three`), (init) => fetch(`${url}four`, init)]) assert.equal(await show(other), "é1");
  assert.match(await show(new URL(`${url}one`)), /^kept/);
  options.message = kept("3-1");
  assert.match(await show(`${url}five`), /^kept 3-1/);
  assert.equal(await show(`${url}one`), "é1");
  assert.deepEqual(asked, [["/one", "5-1"], ["/two", ""], ["/three", ""], ["/four", ""], ["/one", "5-1"], ["/five", "3-1"], ["/one", ""]]);
  scope.stop();
});
