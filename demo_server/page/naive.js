/**
 * What a client without a guard makes of the same stream: it shows what comes, looks for fences with a regular expression,
 * parses what stands between them, and runs what parses.
 */

const FENCE = /```json\s*([\s\S]*?)(?:```|$)/g;
const NATIVE = /\n\n\[\w+\] ([\s\S]*)$/;
const TOOLS = ["write_file", "edit_file", "delete_file", "validate_lesson_data"];

/** The blocks that it finds, and what it would do with each; `tools` are the names of those that it has. */
export function naive(raw, over, tools = TOOLS) {
  const native = NATIVE.exec(raw);
  const bodies = [...raw.matchAll(FENCE)].map((found) => ({ body: found[1], closed: found[0].endsWith("```") }));
  if (native) bodies.push({ body: native[1], closed: over });
  return bodies.filter(({ closed }) => closed || over).map(({ body, closed }) => fate(body, closed, Boolean(native), tools));
}

function fate(body, closed, native, tools) {
  let call;
  try {
    call = JSON.parse(body);
  } catch (error) {
    return `${closed ? "" : "The block never closed. "}${error.name}: ${error.message}`;
  }
  if (native) return "It parses, and is run.";
  if (!tools.includes(call?.tool)) return call?.tool ? `Nothing runs "${call.tool}".` : "It is taken for a call, and names no tool.";
  if (call.tool === "write_file" && typeof call.content !== "string")
    return call.content === undefined ? `"undefined" is written to ${call.path}.` : `An object is written to ${call.path}.`;
  if (call.tool === "edit_file" && !call.search_replace) return "TypeError: search_replace is undefined.";
  return `It parses, and is run: ${call.tool} ${call.path ?? ""}`;
}
