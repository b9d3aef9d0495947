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

export function say(text) {
  byId("live").textContent = text;
}

export function alarm(text) {
  byId("alerts").textContent = text;
  byId("connection").textContent = text;
  byId("connection").hidden = !text;
}
