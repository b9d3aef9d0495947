/** A page with the component of the README in React's strict mode; `mount` and `unmount` are for the test. */

import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { initial } from "stream-guard-client";
import { useGuardedStream } from "stream-guard-client/react";
import { Reply } from "./example.jsx";

let root;
window.mount = (source) => {
  root = createRoot(document.getElementById("app"));
  window.render(source);
};
window.render = (source) => root.render(<StrictMode><Reply source={source} /></StrictMode>);

/** A reply whose request has a key. */
function Keyed({ id }) {
  const { message } = useGuardedStream((init) => fetch(`/chat?${id}`, { ...init, method: "POST" }), { key: id });
  return <p>{`${id}: ${message.parts.length} parts, ${message.ending}`}</p>;
}
window.keyed = (id) => {
  root ??= createRoot(document.getElementById("app"));
  root.render(<StrictMode><Keyed id={id} /></StrictMode>);
};

/** A reply that goes on behind a message that was kept. */
const KEPT = { ...initial(), parts: [{ type: "text", text: "Kept" }] };
function Kept({ source, lastId }) {
  const [message] = useState({ ...KEPT, lastId });
  const { message: shown } = useGuardedStream(source, { message });
  return <p>{`${source}: ${shown.parts[0]?.text === undefined ? "" : shown.parts[0].text.slice(0, 4)} and ${shown.parts.length} parts, ${shown.ending}`}</p>;
}
window.kept = (source, lastId) => {
  root ??= createRoot(document.getElementById("app"));
  root.render(<StrictMode><Kept source={source} lastId={lastId} /></StrictMode>);
};
window.unmount = () => root.unmount();
document.body.dataset.ready = "";
