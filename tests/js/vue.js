/** A page with the component of the README; `mount` and `unmount` are for the test. */

import { createApp } from "vue";
import Reply from "./example.vue";

let app;
window.mount = (source) => {
  app = createApp(Reply, { source });
  app.mount("#app");
};
window.unmount = () => app.unmount();
document.body.dataset.ready = "";
