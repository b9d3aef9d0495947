/** A page with the component of the README in React's strict mode; `mount` and `unmount` are for the test. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Reply } from "./example.jsx";

let root;
window.mount = (source) => {
  root = createRoot(document.getElementById("app"));
  window.render(source);
};
window.render = (source) => root.render(<StrictMode><Reply source={source} /></StrictMode>);
window.unmount = () => root.unmount();
document.body.dataset.ready = "";
