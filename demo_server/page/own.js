/** The form for a model of one's own. The key goes to the server once, and is in no other place of this page. */

import { api } from "./api.js";
import { byId, say } from "./dom.js";

const FIELDS = ["base", "model-name", "key"];

/** Make the form work; `changed` is called with what the server then tells of the model: its base URL and name, or null. */
export function ownModel(changed) {
  const dialog = byId("own-dialog");
  let asked = 0; // the answer to an earlier request, or to one whose form was closed, is dropped

  async function send(told, doing, done) {
    const mine = ++asked;
    tell(doing);
    busy(true);
    try {
      const { own } = await api.model(told);
      changed(own);
      if (mine !== asked) return;
      dialog.close();
      say(done);
    } catch ({ message }) {
      if (mine === asked) tell(message, true);
    } finally {
      if (mine === asked) busy(false);
    }
  }

  byId("own-model").addEventListener("click", () => dialog.showModal());
  byId("own-cancel").addEventListener("click", () => dialog.close());
  byId("own-forget").addEventListener("click", () => send({}, "Forgetting it...", "The model and its key are forgotten."));
  byId("own-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const [base, model, key] = FIELDS.map((name) => byId(name).value);
    send({ base, model, key }, "Asking the model...", `Connected to ${model}.`);
  });
  dialog.addEventListener("close", () => {
    asked += 1;
    byId("key").value = "";
    tell("");
    busy(false);
  });
}

/** Show which model there is, in the header and in the form. */
export function showModel(own, model) {
  const host = own && new URL(own.base).host;
  byId("model").textContent = own ? `Talks to ${own.model} at ${host}` : model === "script" ? "No model, no key: the replies are scripted" : `Talks to ${model}`;
  byId("own-forget").hidden = !own;
  byId("base").value ||= own?.base ?? "";
  byId("model-name").value ||= own?.model ?? "";
}

function tell(text, failed = false) {
  byId("own-told").textContent = text;
  byId("own-told").className = failed ? "failed" : "quiet";
}

function busy(on) {
  for (const name of ["own-connect", "own-forget"]) byId(name).disabled = on;
}
