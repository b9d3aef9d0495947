/** Elements out of names, properties and texts. What a model wrote becomes a text node, here and everywhere. */

export const byId = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A paragraph's text without the empty lines around it. It only grows when the text does. */
export const trimmed = (text) => text.replace(/^\n+|\s+$/g, "");

export function say(text) {
  byId("live").textContent = text;
}

export function alarm(text) {
  byId("alerts").textContent = text;
  byId("connection").textContent = text;
  byId("connection").hidden = !text;
}

/** Put a text on the clipboard, as its button then says; or show it where the browser does not allow that. */
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    const name = (button.dataset.name ??= button.textContent);
    button.textContent = "Copied";
    say("Copied");
    setTimeout(() => (button.textContent = name), 1500);
  } catch {
    const dialog = byId("by-hand") ?? document.body.appendChild(byHand());
    const area = dialog.querySelector("textarea");
    area.value = text;
    dialog.showModal();
    area.select();
  }
}

/** The dialog with a text that is copied by hand. */
const byHand = () =>
  element(
    "dialog",
    { id: "by-hand", "aria-labelledby": "by-hand-title" },
    element("h2", { id: "by-hand-title" }, "Copy it from here"),
    element("textarea", { id: "by-hand-text", rows: 10, readonly: "", "aria-labelledby": "by-hand-title" }),
    element("form", { method: "dialog" }, element("button", {}, "Close")),
  );
