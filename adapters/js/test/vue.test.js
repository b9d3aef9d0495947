import assert from "node:assert/strict";
import { test } from "node:test";
import { createRenderer, defineComponent, effectScope, nextTick, shallowRef } from "vue";
import { initial, reduce } from "../src/index.js";
import { useGuardedStream } from "../src/vue.js";
import { done, serves, sse, text } from "./kit/server.js";

/** What a renderer needs of a document, of which nothing is shown. */
const NOWHERE = { insert() {}, remove() {}, createElement: () => ({}), createText: () => ({}), createComment: () => ({}), setText() {}, setElementText() {}, parentNode: () => ({}), nextSibling: () => null, patchProp() {} };

const kept = (id) => reduce(initial(), { type: "text", data: `kept ${id}. `, id });

test("a source that changes before its component is there is the one that is read", async () => {
  const asked = [];
  const url = serves((request, response) => {
    asked.push(request.url);
    sse(response).end(text(1) + done(2));
  });
  const source = shallowRef(`${url}one`);
  let shows;
  const component = defineComponent({
    setup() {
      shows = useGuardedStream(source);
      source.value = `${url}two`; // as a parent does while a component waits within Suspense
      return () => null;
    },
  });
  const app = createRenderer(NOWHERE).createApp(component);
  app.mount({});
  while (shows.message.value.ending === "running") await new Promise((later) => setTimeout(later, 1));
  assert.deepEqual(asked, ["/two"]);
  app.unmount();
});

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
