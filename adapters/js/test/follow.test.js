import assert from "node:assert/strict";
import { test } from "node:test";
import { StreamError, followEvents, guardEvents } from "../src/index.js";
import { all, done, event, served, serves, sse, text, texts } from "./kit/server.js";

const TEN = Array.from({ length: 10 }, (_, n) => text(n));
const SAID = TEN.map((_, n) => `é${n}`);
const from = (request) => parseInt(request.headers["last-event-id"] ?? "-1") + 1;
const refused = (more) => (error) => {
  assert.ok(error instanceof StreamError, String(error));
  for (const [name, value] of Object.entries(more)) assert.equal(error[name], value, name);
  return true;
};

test("a response is read, wherever its bytes are cut", async () => {
  const url = serves(async (_, response) => {
    sse(response);
    const bytes = Buffer.from(": ping\r\n\r\n" + "event: other\r\ndata: 1\r\n\r\n" + TEN.join("") + done(10));
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7));
      if (at % 70 === 0) await new Promise((next) => setImmediate(next));
    }
    response.end();
  });
  const found = await all(guardEvents(await fetch(url)));
  assert.deepEqual(texts(found), SAID);
  assert.deepEqual(found.at(-1), { type: "done", data: {}, id: "10-1" });
});

test("a response that is no stream is refused, and one that breaks off says so", async () => {
  const answers = [
    [(_, response) => response.writeHead(403).end(), { kind: "refused", status: 403 }],
    [(_, response) => response.writeHead(429, { "retry-after": "7" }).end(), { kind: "lost", status: 429, retryAfter: 7000 }],
    [(_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"), { kind: "refused", status: 200 }],
    [(_, response) => sse(response).end(text(1)), { kind: "lost" }],
  ];
  for (const [answer, why] of answers) {
    const url = serves(answer);
    await assert.rejects(async () => all(guardEvents(await fetch(url))), refused(why));
  }
});

test("a connection that is lost behind the answer is told as one, and so is a server that cannot be reached", async () => {
  const url = serves((_, response) => {
    sse(response).write(text(0));
    setImmediate(() => response.destroy());
  });
  const lost = refused({ kind: "lost", status: 200, message: "The connection was lost" });
  await assert.rejects(all(followEvents(url, { retries: 0 })), lost);
  await assert.rejects(async () => all(guardEvents(await fetch(url))), lost);
  await assert.rejects(all(followEvents("http://127.0.0.1:1/", { retries: 0 })), refused({ kind: "lost", message: "The server cannot be reached" }));
});

test("a lost connection is taken up where it was: nothing twice, nothing missing", async () => {
  const url = serves((request, response) => {
    const at = from(request);
    sse(response).write(TEN.slice(at, at + 3).join(""));
    if (at + 3 >= TEN.length) response.end(done(10));
    else setTimeout(() => response.destroy(), 5);
  });
  assert.deepEqual(texts(await all(followEvents(url, { wait: 1, retries: 1 }))), SAID);
  assert.deepEqual(served.asked.map(({ after }) => after), [undefined, "2-1", "5-1", "8-1"]);
});

test("another producer that goes on is followed as long as it gets further", async () => {
  const url = serves((request, response) => {
    const at = from(request);
    sse(response).write(event("text", `é${at}`, `${at}-${at < 3 ? 1 : 2}`));
    if (at === 9) response.end(done(10));
    else setImmediate(() => response.destroy());
  });
  assert.deepEqual(texts(await all(followEvents(url, { wait: 1, retries: 2 }))), SAID);
});

test("numbers that are missing are asked for again, and are no end", async () => {
  const answers = [event("text", "a", "1-5") + event("text", "d", "4-5") + event("done", {}, "5-5"), event("text", "b", "2-5") + event("text", "c", "3-5") + event("done", {}, "4-5")];
  serves((_, response) => sse(response).end(answers.shift()));
  assert.deepEqual(texts(await all(followEvents(served.url, { wait: 1 }))), ["a", "b", "c"]);
  assert.deepEqual(served.asked.map(({ after }) => after), [undefined, "1-5"]);
  serves((_, response) => sse(response).end(event("text", "a", "1-5") + event("done", {}, "5-5")));
  await assert.rejects(all(followEvents(served.url, { wait: 1, retries: 2 })), { kind: "lost" });
  assert.equal(served.asked.length, 3);
  serves((_, response) => sse(response).end(event("text", "a", "1-5") + event("mine", 1, "2-5") + event("done", {}, "3-5")));
  assert.equal((await all(followEvents(served.url, { wait: 1 }))).at(-1).type, "done");
  for (const [name, ids] of [["error", ["1-5", "9-5"]], ["done", ["1-5", "9-6"]], ["done", ["170-0", "190-0"]]]) {
    serves((_, response) => sse(response).end(event("text", "a", ids[0]) + event(name, name === "error" ? { message: "m" } : {}, ids[1])));
    assert.equal((await all(followEvents(served.url, { wait: 1 }))).at(-1).type, name);
  }
});

test("a stream that is read from its beginning begins with its first event, or events are missing", async () => {
  const late = event("text", "b", "2-5") + event("done", {}, "3-5");
  const answers = [late, event("text", "a", "1-5") + late];
  serves((_, response) => sse(response).end(answers.shift()));
  assert.deepEqual(texts(await all(followEvents(served.url, { wait: 1 }))), ["a", "b"]);
  assert.deepEqual(served.asked.map(({ after }) => after), [undefined, undefined]);
  serves((_, response) => sse(response).end(late));
  await assert.rejects(all(followEvents(served.url, { wait: 1, retries: 2 })), refused({ kind: "lost" }));
  assert.equal(served.asked.length, 3);
  // An end that says so, ids of a server's own, and a response of which nobody knows where it begins.
  for (const said of [event("error", { message: "m" }, "2-5"), late.replaceAll("-5", "-0"), late.replaceAll("-5", "")]) {
    serves((_, response) => sse(response).end(said));
    assert.notEqual((await all(followEvents(served.url, { wait: 1 }))).length, 0);
  }
  serves((_, response) => sse(response).end(late));
  for (const options of [{ after: "1-5" }, { after: "x" }, { headers: { "Last-Event-ID": "1-5" } }]) assert.deepEqual(texts(await all(followEvents(served.url, options))), ["b"]);
  assert.deepEqual(texts(await all(guardEvents(await fetch(served.url)))), ["b"]);
});

test("it begins behind what is known already, and says so as a header may hold it", async () => {
  const url = serves((request, response) => sse(response).end(TEN.slice(from(request)).join("") + done(10)));
  assert.deepEqual(texts(await all(followEvents(url, { after: "6-1" }))), SAID.slice(7));
  await all(followEvents(url, { after: "é" }));
  assert.equal(Buffer.from(served.asked[1].after, "latin1").toString(), "é");
});

test("what comes again is not told again, and an end always is", async () => {
  const url = serves((_, response) => sse(response).end(TEN.join("") + text(3) + TEN.join("") + event("error", { message: "m" }, "2-1")));
  const found = await all(followEvents(url));
  assert.deepEqual([texts(found), found.at(-1).type], [SAID, "error"]);
});

/** Answers after which nobody comes back for ever, whatever they hold. */
const endless = {
  "nobody is there": (_, response) => response.destroy(),
  "an empty stream": (_, response) => sse(response).end(),
  "a comment": (_, response) => sse(response).end(": ping\n\n"),
  "the same event each time": (_, response) => sse(response).end(text(1)),
  "an older event each time": (_, response) => sse(response).end(text(5) + text(4)),
  "an event that cannot be read": (_, response) => sse(response).end(event("raw", "{", "1-1").replace("raw", "text")),
  "events of other names with new ids": (_, response) => sse(response).end(event("other", 1, `${Date.now()}-${served.asked.length}`)),
  "half an event": (_, response) => sse(response).end("id: 1-1\nevent: text\ndata: 1"),
  "an error of the server": (_, response) => response.writeHead(500).end(),
  "a wait of no time": (_, response) => response.writeHead(503, { "retry-after": "0" }).end(),
  "a connection that is cut": (_, response) => (sse(response).write(text(1)), setImmediate(() => response.destroy())),
};
/** Answers that are new each time, and bring nobody any further. */
const unlike = {
  "another generation each time": (at) => event("text", "a", `1-${at}`),
  "another generation each time, further on": (at) => event("text", "a", `${at}-${at}`),
  "more of another generation each time": (at) => event("text", "a", `${2 * at}-${at}`) + event("text", "b", `${2 * at + 1}-${at}`),
  "ids that nobody can compare": (at) => event("text", "a", `id ${at}`),
  "numbers with zeros before them": (at) => event("text", "a", `0${at}-5`),
  "a generation with zeros before it": (at) => event("text", "a", `${at}-05`),
  "ids with more behind the numbers": (at) => event("text", "a", `${at}-5-a`),
  "an odd id each time, from which numbers fall and rise": (at) => event("text", "a", `id ${at}`) + event("text", "b", `${8 + (at % 2)}-5`),
};
for (const [name, said] of Object.entries(unlike)) endless[name] = (_, response) => sse(response).end(said(served.asked.length));

for (const [name, answer] of Object.entries(endless)) {
  test(`it gives up on ${name}, and says so`, async () => {
    const url = serves(answer);
    await assert.rejects(all(followEvents(url, { wait: 1, retries: 4 })), refused({ kind: "lost" }));
    assert.ok([5, 6].includes(served.asked.length), `${served.asked.length} requests`); // one more where the first brought something new
  });
}

for (const status of [400, 401, 403, 404, 405, 410, 418, 501]) {
  test(`what is refused with ${status} is not asked for again`, async () => {
    const url = serves((_, response) => response.writeHead(status, { "content-type": "text/event-stream" }).end(done(1)));
    await assert.rejects(all(followEvents(url, { wait: 1 })), refused({ kind: "refused", status }));
    assert.equal(served.asked.length, 1);
  });
}

test("what is no event stream is refused", async () => {
  const url = serves((_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  await assert.rejects(all(followEvents(url, { wait: 1 })), refused({ kind: "refused", status: 200 }));
  assert.equal(served.asked.length, 1);
  await assert.rejects(all(followEvents("not an address")), TypeError);
  await assert.rejects(all(followEvents(url, { headers: { "no header": "" } })), TypeError);
});

test("nothing to resume is an end", async () => {
  const url = serves((_, response) => response.writeHead(204).end());
  assert.deepEqual(await all(followEvents(url)), []);
});

test("nothing more is an end that is told, where the stream's own end did not come", async () => {
  const url = serves((request, response) => (from(request) ? response.writeHead(204).end() : sse(response).end(text(0))));
  const found = [];
  await assert.rejects(async () => { for await (const one of followEvents(url, { wait: 1 })) found.push(one); }, refused({ kind: "lost", status: 204 }));
  assert.deepEqual([texts(found), served.asked.length], [["é0"], 2]);
  assert.deepEqual(await all(followEvents(url, { after: "5-1" })), []);
});

for (const status of [429, 503]) {
  test(`after ${status} it comes back, and not before it may`, async () => {
    const url = serves((_, response) => {
      if (served.asked.length === 1) response.writeHead(status, { "retry-after": "1" }).end();
      else sse(response).end(TEN.join("") + done(10));
    });
    assert.deepEqual(texts(await all(followEvents(url, { wait: 1 }))), SAID);
    assert.ok(served.asked[1].at - served.asked[0].at >= 990);
  });
}

test("a wait until a date is kept, one that is too long is an end, and one that is nonsense is none", async () => {
  const dated = new Date(Date.now() + 3_600_000).toUTCString();
  for (const [asked, retryAfter] of [["3600", 3_600_000], [dated, null], ["9".repeat(400), Infinity]]) {
    const url = serves((_, response) => response.writeHead(503, { "retry-after": asked }).end());
    await assert.rejects(all(followEvents(url, { wait: 1 })), (error) => {
      assert.ok(retryAfter === null ? Math.abs(error.retryAfter - 3_600_000) < 5_000 : error.retryAfter === retryAfter);
      return error.status === 503;
    });
    assert.equal(served.asked.length, 1);
  }
  const url = serves((_, response) => response.writeHead(503, { "retry-after": "soon" }).end());
  await assert.rejects(all(followEvents(url, { wait: 1, retries: 1 })), refused({ status: 503 }));
  assert.equal(served.asked.length, 2);
});

test("it waits as long as the server says in the stream", async () => {
  const url = serves((_, response) => {
    if (served.asked.length === 1) sse(response).end(`retry: 300\n\n${text(0)}`);
    else sse(response).end(TEN.join("") + done(10));
  });
  assert.deepEqual(texts(await all(followEvents(url, { wait: 1 }))), SAID);
  assert.ok(served.asked[1].at - served.asked[0].at >= 295);
});

test("a wait that the stream asks for is an end where it is too long, as one of a header is", async () => {
  for (const [asked, retryAfter] of [["300001", 300_001], ["9".repeat(400), Infinity]]) {
    const url = serves((_, response) => sse(response).end(`retry: ${asked}\n\n${text(0)}`));
    await assert.rejects(all(followEvents(url, { wait: 1 })), refused({ kind: "lost", retryAfter }));
    assert.equal(served.asked.length, 1);
  }
});

test("what came without an id is not read twice, whatever the retries and the source", async () => {
  const replies = [
    (_, response) => sse(response).end(event("text", "a")),
    (_, response) => (sse(response).write(event("json-tool-block", {})), setImmediate(() => response.destroy())),
    (_, response) => sse(response).end(text(0) + event("text", "a")),
  ];
  for (const reply of replies) {
    for (const source of [(url) => url, (url) => (init) => fetch(url, init)]) {
      const url = serves(reply);
      await assert.rejects(all(followEvents(source(url), { wait: 1, retries: 3 })), refused({ kind: "lost" }));
      assert.equal(served.asked.length, 1);
    }
  }
  const url = serves((_, response) => {
    if (served.asked.length < 3) response.writeHead(503).end(); // nothing came yet
    else sse(response).end(event("text", "a") + event("done", {}));
  });
  assert.deepEqual(texts(await all(followEvents(url, { wait: 1 }))), ["a"]);
});

test("a setting that is no number is refused before anything is asked for", async () => {
  for (const name of ["retries", "wait", "idle"]) {
    for (const value of [NaN, "3", {}]) {
      const url = serves((_, response) => response.writeHead(503).end());
      await assert.rejects(all(followEvents(url, { [name]: value })), { name: "TypeError", message: new RegExp(name) });
      assert.equal(served.asked.length, 0);
    }
  }
});

test("a wait that no timer can have is refused before anything is asked for", async () => {
  for (const wait of [-5, -Infinity, 2 ** 31, Infinity]) {
    const url = serves((_, response) => response.writeHead(503).end());
    await assert.rejects(all(followEvents(url, { wait })), { name: "RangeError", message: /wait/ });
    assert.equal(served.asked.length, 0);
  }
});

test("the longest wait is waited", async () => {
  const leaving = new AbortController();
  const url = serves((_, response) => response.writeHead(503).end());
  setTimeout(() => leaving.abort(new Error("enough")), 100);
  await assert.rejects(all(followEvents(url, { wait: 2 ** 31 - 1, signal: leaving.signal })), { message: "enough" });
  assert.equal(served.asked.length, 1);
});

test("reading ends after the end, after a break and after an abort, also when the body never settles its cancel", async () => {
  const source = (more) => async () => {
    const start = (controller) => controller.enqueue(new TextEncoder().encode(text(0) + more));
    return new Response(new ReadableStream({ start, cancel: () => new Promise(() => {}) }), { headers: { "content-type": "text/event-stream" } });
  };
  assert.equal((await all(followEvents(source(done(1))))).at(-1).type, "done");
  assert.equal((await all(guardEvents(await source(done(1))()))).at(-1).type, "done");
  let seen = 0;
  for await (const one of followEvents(source(""))) {
    seen += one.type === "text";
    break;
  }
  assert.equal(seen, 1);
  const leaving = new AbortController();
  const reading = all(followEvents(source(""), { signal: leaving.signal }));
  setTimeout(() => leaving.abort(new Error("enough")), 5);
  await assert.rejects(reading, { message: "enough" });
});

test("a wait of nothing is not kept, and an id that no header can hold ends it all the same", async () => {
  let url = serves((_, response) => sse(response).end(`id: \u0001\n${event("text", "a")}`));
  await assert.rejects(all(followEvents(url, { wait: 1, retries: 2 })), StreamError);
  url = serves((_, response) => sse(response).end("retry: 0\n\n"));
  await assert.rejects(all(followEvents(url, { wait: 50, retries: 2 })), refused({ kind: "lost" }));
  assert.ok(served.asked[2].at - served.asked[0].at >= 145);
});

test("a connection that falls silent is taken up anew; one that is kept alive is not", async () => {
  const open = [];
  const url = serves((request, response) => {
    sse(response).write(TEN.slice(from(request), from(request) + 5).join(""));
    open.push(new Promise((closed) => response.on("close", closed)));
    if (from(request) === 0) return; // it says no more
    const beat = setInterval(() => response.write(": ping\n\n"), 20);
    setTimeout(() => (clearInterval(beat), response.end(done(10))), 1500);
  });
  assert.deepEqual(texts(await all(followEvents(url, { wait: 1, idle: 750 }))), SAID);
  assert.equal(served.asked.length, 2);
  await Promise.all(open);
});

test("a server that accepts and never answers is given up", async () => {
  const url = serves(() => {});
  await assert.rejects(all(followEvents(url, { wait: 1, retries: 1, idle: 50 })), refused({ kind: "lost" }));
  assert.equal(served.asked.length, 2);
});

test("a reader that takes its time is not a silent server", async () => {
  const url = serves((_, response) => sse(response).end(TEN.join("") + done(10)));
  const found = [];
  for await (const one of followEvents(url, { wait: 1, idle: 60 })) {
    if (found.push(one) === 2) await new Promise((later) => setTimeout(later, 200));
  }
  assert.deepEqual([texts(found), served.asked.length], [SAID, 1]);
});

test("leaving closes the connection", async () => {
  for (const read of [async (url) => guardEvents(await fetch(url)), async (url) => followEvents(url)]) {
    let closed;
    const over = new Promise((told) => (closed = told));
    const url = serves((request, response) => {
      sse(response).write(TEN[0]);
      request.on("close", closed);
    });
    for await (const one of await read(url)) {
      assert.equal(one.type, "text");
      break;
    }
    await over;
  }
});

/** Wherever it stands, an abort ends it: what it stands at, and how far it got. */
const standing = {
  "before it begins": [(_, response) => sse(response).write(TEN[0]), 0],
  "while it waits for an answer": [() => {}, 1],
  "in the middle of the stream": [(_, response) => sse(response).write(TEN[0]), 1],
  "while it waits to come back": [(_, response) => response.destroy(), 1],
  "while it waits as long as it was asked to": [(_, response) => response.writeHead(503, { "retry-after": "200" }).end(), 1],
};
for (const [name, [answer, requests]] of Object.entries(standing)) {
  test(`an abort ends it at once ${name}`, async () => {
    const leaving = new AbortController();
    let asked;
    const reached = new Promise((told) => (asked = told));
    const url = serves((request, response) => {
      answer(request, response);
      asked();
    });
    if (!requests) leaving.abort(new Error("left"));
    const reading = all(followEvents(url, { signal: leaving.signal, wait: 100_000, idle: 0 }));
    reading.catch(() => {});
    if (requests) {
      await reached;
      await new Promise((later) => setTimeout(later, 50));
      leaving.abort(new Error("left"));
    }
    await assert.rejects(reading, /left/); // a wait of minutes would be longer than the test may take
    assert.equal(served.asked.length, requests);
  });
}

test("an abort ends it also where the fetch that was given knows of none", async () => {
  const never = new ReadableStream();
  const fetches = [() => new Promise(() => {}), async () => new Response(never, { headers: { "content-type": "text/event-stream" } })];
  for (const fetch of fetches) {
    const leaving = new AbortController();
    const reading = all(followEvents("http://127.0.0.1/", { fetch, signal: leaving.signal }));
    setTimeout(() => leaving.abort(new Error("left")), 20);
    await assert.rejects(reading, /left/);
  }
});

test("nothing of one connection is left behind for the next", async () => {
  const leaving = new AbortController();
  const counted = { addEventListener: 0, removeEventListener: 0 };
  for (const name of Object.keys(counted)) {
    const original = leaving.signal[name].bind(leaving.signal);
    leaving.signal[name] = (...given) => (counted[name]++, original(...given));
  }
  const url = serves((_, response) => response.writeHead(503).end());
  await assert.rejects(all(followEvents(url, { wait: 1, retries: 5, signal: leaving.signal })));
  assert.equal(counted.addEventListener, counted.removeEventListener);
});

test("credentials go where they are to go", async () => {
  const seen = [];
  const fetch = async (_, { credentials, cache }) => (seen.push(credentials, cache), new Response(null, { status: 204 }));
  await all(followEvents("http://127.0.0.1/", { fetch }));
  await all(followEvents("http://127.0.0.1/", { fetch, withCredentials: true }));
  assert.deepEqual(seen, ["same-origin", "no-store", "include", "no-store"]);
});

test("an event that cannot be read is told as one, and ends nothing", async () => {
  const bad = ["{", "null", "", "7", '{"id": 7}', "[".repeat(100_000), '"', "<html>"];
  const url = serves((_, response) => {
    const events = bad.flatMap((data, at) => ["json-tool-block", "json-tool-status"].map((type) => `event: ${type}\nid: ${at}-0\ndata: ${data}\n\n`));
    sse(response).end(events.join("") + event("text", "b", "99-0") + `event: done\ndata: <html>\n\n`);
  });
  const found = await all(followEvents(url));
  assert.deepEqual([...new Set(found.slice(0, -2).map(({ type }) => type))], ["malformed"]);
  assert.deepEqual(found.slice(-2).map(({ type }) => type), ["text", "error"]);
  assert.equal(served.asked.length, 1);
});

test("no event has a prototype of its own", async () => {
  const block = { id: "s", content: "", executable: false, found: [], issues: [], fixes: [], attempts: [] };
  const args = ['{"__proto__": {"polluted": 1}, "a": {"\\u005f_proto__": 1}}', '{"a": [{"__proto__": 1, "b": "__proto__"}]}'];
  const url = serves((_, response) => {
    const events = args.map((one) => `event: json-tool-block\ndata: ${JSON.stringify(block).slice(0, -1)}, "arguments": ${one}}\n\n`);
    sse(response).end(events.join("") + done(1));
  });
  const [one, two] = await all(followEvents(url));
  assert.deepEqual(Object.entries(one.data.arguments), [["a", {}]]);
  assert.deepEqual([Object.keys(one.data.arguments.a), two.data.arguments], [[], { a: [{ b: "__proto__" }] }]);
});
