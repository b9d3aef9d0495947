/** The workspace: its files, one of them open, and what an edit changed. */

import { api } from "./api.js";
import { byId, element } from "./dom.js";

let open = null;

export function showFiles(files) {
  byId("files").replaceChildren(...branch(files, ""));
  if (!files.length) byId("files").append(element("li", { class: "quiet" }, "No files"));
}

/** The items of one folder: its folders, each with a list of its own, and its files. */
function branch(files, above) {
  const inside = files.filter(([path]) => path.startsWith(above));
  const names = [...new Set(inside.map(([path]) => path.slice(above.length).split("/")[0]))];
  return names.map((name) => {
    const file = inside.find(([path]) => path === above + name);
    if (!file) return element("li", {}, element("span", { class: "folder" }, `${name}/`), element("ul", {}, ...branch(inside, `${above}${name}/`)));
    const [path, size] = file;
    const marks = { "data-path": path, "aria-current": String(path === open), title: `${path}, ${size} bytes` };
    return element("li", {}, element("button", { type: "button", onclick: () => openFile(path), ...marks }, name));
  });
}

let refreshing = null;

/** Ask for the files again. Who asks while somebody asks already waits for the next answer, and not each for one of their own. */
export async function refreshFiles() {
  if (refreshing) {
    refreshing.again = true;
    return;
  }
  refreshing = { again: true };
  while (refreshing.again) {
    refreshing.again = false;
    const told = await api.files().catch(() => null);
    if (told) showFiles(told.files);
  }
  refreshing = null;
}

async function openFile(path) {
  open = path;
  const { text } = await api.file(path).catch((error) => ({ text: error.message }));
  if (open !== path) return;
  byId("file-title").textContent = path;
  byId("file").className = "";
  byId("file").textContent = text;
  mark();
}

/** Show no file, as at first. */
export function closeFile() {
  open = null;
  byId("file-title").textContent = "No file is open";
  byId("file").className = "";
  byId("file").replaceChildren();
  mark();
}

/** What a call changed. */
export function showChange({ path, diff, message }) {
  open = path;
  byId("file-title").textContent = message ?? path ?? "";
  byId("file").className = "diff";
  byId("file").replaceChildren(
    ...diff.map((line) => element("span", { class: { "+": "added", "-": "removed" }[line[0]] ?? "" }, line || " ")),
  );
  mark();
}

function mark() {
  for (const button of byId("files").querySelectorAll("button")) button.setAttribute("aria-current", String(button.dataset.path === open));
}
