import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/index.js";

/** What a browser's EventSource looks like from outside; the real one is tested in a browser, on the demo's page. */
class Source extends EventTarget {
  static CLOSED = 2;
  static last;
  readyState = 0;
  constructor(url) {
    super();
    this.url = url;
    Source.last = this;
  }
  close() {
    this.readyState = 2;
  }
  say(type, data, lastEventId = "") {
    this.dispatchEvent(Object.assign(new Event(type), { data: data && JSON.stringify(data), lastEventId }));
  }
}

function connected() {
  const events = [];
  const states = [];
  const connection = connect("/x", { EventSource: Source, onEvent: (event) => events.push(event), onState: (state) => states.push(state) });
  return { source: Source.last, events, states, connection };
}

test("events come with their ids, and the end closes", () => {
  const { source, events, states } = connected();
  source.onopen();
  source.say("text", "a", "1-0");
  source.say("json-tool-status", { id: "s" }, "1-1");
  source.say("done", {}, "1-2");
  assert.deepEqual(events.map(({ type, id }) => [type, id]), [["text", "1-0"], ["json-tool-status", "1-1"], ["done", "1-2"]]);
  assert.deepEqual([states, source.readyState], [["open", "closed"], 2]);
});

test("a lost connection is no event, and a failed stream is one", () => {
  const { source, events, states } = connected();
  source.say("error");
  assert.deepEqual([events, states], [[], ["waiting"]]);
  source.say("error", { message: "m" }, "1-0");
  assert.deepEqual([events[0].data.message, source.readyState], ["m", 2]);
});

test("a source that the browser gave up is closed", () => {
  const { source, states } = connected();
  source.readyState = 2;
  source.say("error");
  assert.deepEqual(states, ["closed"]);
});
