/**
 * Tells of an error in a function that was given, as a browser does of one in a listener: what it is told of goes on.
 *
 * @param {unknown} error
 */
export function report(error) {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else console.error(error);
}
