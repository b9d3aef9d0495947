// A parser of fenced JSON calls in JavaScript, as a program for the conformance runner:
//
//     npm install partial-json@0.1
//     stream-guard conform --command "node my_parser.mjs"
//
// It finds fences as CommonMark does, reads an open block with `partial-json` to announce the tool, and a closed one with JSON.parse.
// It claims no more than that: it knows no schemas and mends nothing, so rows that need these do not apply. Nor does it claim
// `integers`: JSON.parse makes a double of each number, and 9007199254740993 becomes 9007199254740992.
import { createInterface } from "node:readline";
import { OBJ, parse } from "partial-json";

const capabilities = ["fence", "several", "text", "streams", "announce"];

/** Reads the deltas of one reply, and yields what comes out after each of them, and after the end. */
class Reader {
  constructor(tools) {
    this.tools = new Set(tools.map((tool) => tool.name));
    this.line = ""; // what has come of the current line
    this.said = 0; // how much of it has come out
    this.fence = null; // the open fence: its mark, whether it is ours, its body
  }

  feed(delta) {
    const items = [];
    for (const letter of delta) {
      this.line += letter;
      if (letter === "\n") this.endLine(items);
    }
    this.glimpse(items);
    return items;
  }

  end() {
    const items = [];
    if (!this.fence?.ours) this.say(items, this.line.slice(this.said));
    else if (this.closes(this.line)) this.endLine(items);
    else items.push({ failed: "the block was not closed" });
    return items;
  }

  endLine(items) {
    const { line } = this;
    if (!this.fence) {
      this.say(items, line.slice(this.said));
      const opener = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n$/.exec(line);
      if (opener && !(opener[1][0] === "`" && opener[2].includes("`"))) {
        const ours = /^json$/.test(opener[2].trim());
        this.fence = { mark: opener[1], ours, body: "", named: false };
        if (ours) items.pop(); // the opener of a block is not text
      }
    } else if (this.closes(line)) {
      if (this.fence.ours) this.run(items);
      else this.say(items, line.slice(this.said));
      this.fence = null;
    } else if (this.fence.ours) this.fence.body += line;
    else this.say(items, line.slice(this.said));
    this.line = "";
    this.said = 0;
  }

  /** What may come out, or be announced, before the line has ended. */
  glimpse(items) {
    if (this.fence?.ours) {
      if (!this.fence.named) this.announce(items);
    } else if (this.line && (this.fence ? true : !/^ {0,3}(`|~|$)/.test(this.line))) {
      this.say(items, this.line.slice(this.said));
      this.said = this.line.length;
    }
  }

  announce(items) {
    let call;
    try {
      call = parse((this.fence.body + this.line).trimStart(), OBJ);
    } catch {
      return;
    }
    if (typeof call?.tool === "string" && this.tools.has(call.tool)) {
      this.fence.named = true;
      items.push({ name: call.tool });
    }
  }

  run(items) {
    let call;
    try {
      call = JSON.parse(this.fence.body);
    } catch (error) {
      items.push({ failed: error.message });
      return;
    }
    const { tool, ...rest } = call;
    if (!this.tools.has(tool)) items.push({ failed: `there is no tool ${tool}` });
    else items.push({ call: { name: tool, arguments: rest } });
  }

  closes(line) {
    const closer = /^ {0,3}(`{3,}|~{3,})[ \t]*\n?$/.exec(line);
    return closer !== null && this.fence !== null && closer[1].startsWith(this.fence.mark);
  }

  say(items, text) {
    if (text) items.push({ text });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (asked.ask === "capabilities") {
    console.log(JSON.stringify({ name: "my_parser.mjs", capabilities }));
    continue;
  }
  const reader = new Reader(asked.tools);
  const steps = asked.input.map((delta) => reader.feed(delta));
  console.log(JSON.stringify({ id: asked.id, steps: [...steps, reader.end()] }));
}
