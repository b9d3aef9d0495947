/** A page with the chat of the README in React's strict mode; `mount` and `unmount` are for the test. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./example.jsx";

let root;
window.mount = (id) => {
  root = createRoot(document.getElementById("app"));
  root.render(<StrictMode><Chat id={id} /></StrictMode>);
};
window.unmount = () => root.unmount();
document.body.dataset.ready = "";
