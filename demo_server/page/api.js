/** What the server is asked. An answer that is an error is thrown, with the server's own words. */

async function ask(path, options = {}) {
  const response = await fetch(path, { headers: { "content-type": "application/json" }, ...options });
  const told = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(told.error?.message ?? `The server answered ${response.status}`);
  return told;
}

const post = (path, body = {}) => ask(path, { method: "POST", body: JSON.stringify(body) });

export const api = {
  state: (chat) => ask(`/api/state${chat ? `?chat=${encodeURIComponent(chat)}` : ""}`),
  chats: (find) => ask(`/api/chats?find=${encodeURIComponent(find)}`),
  chat: (id, change) => post(`/api/chats/${encodeURIComponent(id)}`, change),
  begin: (asked) => post("/api/turns", asked),
  stop: (turn) => post(`/api/turns/${turn}/stop`),
  run: (turn, { id, part }) => post(`/api/turns/${turn}/run`, { block: id, part }),
  undo: (turn, { id, part }) => post(`/api/turns/${turn}/undo`, { block: id, part }),
  files: () => ask("/api/files"),
  file: (path) => ask(`/api/files/${path.split("/").map(encodeURIComponent).join("/")}`),
  samples: () => ask("/api/playground"),
  trial: (trial) => post("/api/playground", trial),
  model: (told) => post("/api/model", told),
  reset: (files) => post("/api/reset", { files }),
  events: (turn) => `/api/turns/${turn}/events`,
  times: (turn) => ask(`/api/turns/${turn}/times`),
  raw: (turn) => `/api/turns/${turn}/raw`,
};
