/** A page with the component of the README; `mount` and `unmount` are for the test. */

import { useGuardedStream } from "stream-guard-client/vue";
import { createApp, h, ref, shallowRef } from "vue";
import Reply from "./example.vue";

let app;
const given = shallowRef(null);
window.mount = (source) => {
  given.value = source;
  app = createApp({ render: () => h(Reply, { source: given.value }) });
  app.mount("#app");
};
window.render = (source) => void (given.value = source);
window.getter = (value) => {
  const setup = () => {
    const { error } = useGuardedStream(() => value);
    return () => h("p", `refused: ${error.value?.message}`);
  };
  app = createApp({ setup });
  app.mount("#app");
};

/** The ending of the stream of a ref, which `source` changes. */
const source = ref(null);
window.follow = () => {
  const setup = () => {
    const { message } = useGuardedStream(source);
    return () => h("p", `${source.value}: ${message.value.parts.length} parts, ${message.value.ending}`);
  };
  app = createApp({ setup });
  app.mount("#app");
};
window.source = (url) => (source.value = url);
window.unmount = () => app.unmount();
document.body.dataset.ready = "";
