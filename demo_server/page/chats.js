/** The list of chats: names, search, delete and undo. The server has it; each opening and each change asks anew. */

import { api } from "./api.js";
import { byId, element, say } from "./dom.js";

/** The chat that the address names; null: the last one. */
export const wanted = () => new URLSearchParams(location.search).get("chat");

/** Make the list work. `current` returns the chat that is shown, `open` shows another, `changed` tells the other windows. */
export function chatList({ current, open, changed }) {
  const dialog = byId("chats-dialog");
  let asked = 0; // an older answer does not replace a newer one

  async function refresh() {
    const mine = ++asked;
    const find = byId("find").value;
    try {
      const { chats } = await api.chats(find);
      if (mine !== asked) return;
      const rows = chats.map(row);
      const none = find ? "No chat has these words in its name or its requests." : "No chat yet. The first request begins one.";
      byId("chat-list").replaceChildren(...(rows.length ? rows : [element("li", { class: "quiet" }, none)]));
    } catch ({ message }) {
      told(message);
    }
  }

  function row({ id, name, begun, turns }) {
    const title = name || "A chat without a name";
    const link = element("a", { href: `/?chat=${id}`, "aria-current": id === current() ? "page" : null, onclick: follow }, title);
    const about = `${new Date(1000 * begun).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}, ${turns} ${turns === 1 ? "request" : "requests"}`;
    const item = element("li", { "data-chat": id });
    const renaming = element("button", { type: "button", "aria-label": `Rename ${title}`, onclick: () => rename(item, id, name) }, "Rename");
    const deleting = element("button", { type: "button", "aria-label": `Delete ${title}`, onclick: () => change(id, { deleted: true }, title) }, "Delete");
    item.append(link, element("span", { class: "quiet" }, about), renaming, deleting);
    return item;
  }

  function follow(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return; // another window
    event.preventDefault();
    dialog.close();
    open(new URL(event.currentTarget.href).searchParams.get("chat"));
  }

  function rename(item, id, name) {
    const field = element("input", { value: name, maxlength: 120, "aria-label": `New name of ${name}` });
    let over = false;
    const end = async (save) => {
      if (over) return;
      over = true;
      if (save && field.value !== name) await change(id, { name: field.value });
      else await refresh();
      document.querySelector(`[data-chat="${id}"] button`)?.focus();
    };
    field.addEventListener("keydown", (event) => {
      if (!["Enter", "Escape"].includes(event.key) || event.isComposing) return;
      event.preventDefault(); // or else the list is closed
      end(event.key === "Enter");
    });
    field.addEventListener("blur", () => end(true));
    item.replaceChildren(field);
    field.select();
  }

  async function change(id, what, title) {
    try {
      await api.chat(id, what);
      told("");
      if (what.deleted) {
        const undo = element("button", { type: "button", onclick: () => change(id, { deleted: false }) }, "Undo");
        told(`Deleted: ${title} `, undo);
        undo.focus();
      } else if (what.deleted === false) {
        say("The chat is back.");
        byId("find").focus();
      }
      changed();
    } catch ({ message }) {
      told(message);
    }
    await refresh();
  }

  function told(text, ...more) {
    byId("deleted").hidden = !text;
    byId("deleted").replaceChildren(text, ...more);
  }

  byId("chats").addEventListener("click", () => {
    told("");
    byId("find").value = "";
    dialog.showModal();
    refresh();
  });
  byId("find").addEventListener("input", refresh);
  return { refresh: () => dialog.open && refresh() };
}
