/** The list of chats: names, search, delete and undo. The server has it; each opening and each change asks anew. */

import { api } from "./api.js";
import { byId, element } from "./dom.js";

/** The chat that the address names; null: the last one. */
export const wanted = () => new URLSearchParams(location.search).get("chat");

/** Make the list work. `current` returns the chat that is shown, `open` shows another, `changed` tells the other windows. */
export function chatList({ current, open, changed }) {
  const dialog = byId("chats-dialog");
  let asked = 0; // an older answer does not replace a newer one
  let left = ""; // the open chat that was deleted: restored it is shown again, unless the page has gone to another
  let moved = ""; // the chat that was deleted or restored: it gets the focus when it is listed in its new place
  let listed = ""; // what is shown; the same is not made anew, which would lose the focus

  async function refresh() {
    const mine = ++asked;
    const find = byId("find").value;
    try {
      const { chats, deleted } = await api.chats(find);
      if (mine !== asked) return;
      const now = JSON.stringify([current(), chats, deleted, chats.length ? "" : find]);
      if (now === listed) return;
      listed = now;
      const focused = moved || document.activeElement.closest("#chats-dialog [data-chat]")?.dataset.chat;
      const rows = chats.map(row);
      const none = find ? "No chat has these words in its name or its requests." : "No chat yet. The first request begins one.";
      byId("chat-list").replaceChildren(...(rows.length ? rows : [element("li", { class: "quiet" }, none)]));
      byId("deleted-list").replaceChildren(...deleted.map(gone));
      byId("deleted-chats").hidden = !deleted.length;
      if (focused) (document.querySelector(`#deleted-list [data-chat="${focused}"] button, #chat-list [data-chat="${focused}"] a`) ?? byId("find")).focus();
      moved = "";
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

  /** A chat that was deleted, for as long as it can be restored. */
  function gone({ id, name, until }) {
    const title = name || "A chat without a name";
    const about = `can be restored until ${new Date(1000 * until).toLocaleTimeString([], { timeStyle: "short" })}`;
    const undo = element("button", { type: "button", "aria-label": `Undo: restore ${title}`, onclick: () => change(id, { deleted: false }, title) }, "Undo");
    return element("li", { "data-chat": id }, element("b", {}, title), element("span", { class: "quiet" }, about), undo);
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
    listed = "";
    item.replaceChildren(field);
    field.select();
  }

  async function change(id, what, title) {
    const here = id === current();
    try {
      await api.chat(id, what);
      if ("deleted" in what) moved = id;
      if (what.deleted && here) left = id;
      if (what.deleted === false && left === id && !wanted()) history.replaceState(null, "", `/?chat=${id}`);
      told(what.deleted ? `Deleted: ${title}` : what.deleted === false ? `Restored: ${title}` : "");
      await changed();
    } catch ({ message }) {
      told(message);
    }
    await refresh();
  }

  function told(text) {
    byId("deleted").hidden = !text;
    byId("deleted").textContent = text;
  }

  byId("chats").addEventListener("click", () => {
    told("");
    byId("find").value = "";
    listed = "";
    dialog.showModal();
    refresh();
  });
  byId("find").addEventListener("input", refresh);
  return { refresh: () => dialog.open && refresh() };
}
