// Put into a page before its own scripts: keeps a record of what is shown, in order, and of anything that should not have run.

window.seen = [];
window.ran = [];
for (const name of ["alert", "confirm", "prompt", "print", "open"]) window[name] = () => { window.ran.push(name); };
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  window.ran.push(`policy: ${violatedDirective} ${blockedURI}`);
});

const note = (node) => {
  if (!(node instanceof HTMLElement)) return;
  for (const one of [node, ...node.querySelectorAll("*")]) {
    if (one.classList.contains("pill")) window.seen.push(`pill ${one.dataset.state} ${one.textContent}`);
    if (one.classList.contains("block")) window.seen.push(`block ${one.dataset.verdict}`);
  }
};
new MutationObserver((changes) => {
  for (const { type, target, oldValue, addedNodes } of changes) {
    if (type === "childList") addedNodes.forEach(note);
    else if (target.dataset.result !== oldValue) window.seen.push(`result ${target.dataset.result}`);
  }
}).observe(document, { subtree: true, childList: true, attributeFilter: ["data-result"], attributeOldValue: true });

const last = () => [...document.querySelectorAll("article")].at(-1);

/** Whether the last turn has ended, and everything in it that is run has been. */
window.settled = () => {
  const results = [...document.querySelectorAll("[data-result]")].map(({ dataset }) => dataset.result);
  return last() && last().dataset.ending !== "running" && results.every((one) => ["completed", "failed", "undone"].includes(one));
};

/** What the last turn shows: its prose, its pills, its blocks. */
window.shown = () =>
  [...last().querySelectorAll(".prose, .pill, .block")]
    .filter((one) => !one.closest(".naive"))
    .map((one) => {
      if (one.classList.contains("prose")) return one.textContent;
      if (one.classList.contains("pill")) return one.className;
      return `block ${one.dataset.verdict} ${one.querySelector(".result").dataset.result}`;
    });

window.fileNames = () => [...document.querySelectorAll("#files button")].map(({ dataset }) => dataset.path);
