/**
 * Reports an error that a callback threw, as a browser does for a listener, and goes on.
 *
 * @param {unknown} error
 */
export function report(error) {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else console.error(error);
}
