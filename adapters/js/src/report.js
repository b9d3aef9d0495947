/**
 * Reports an error that a callback threw, as a browser does for a listener, and goes on.
 *
 * @param {unknown} error
 */
export function report(error) {
  if (typeof globalThis.reportError === "function") globalThis.reportError(error);
  else console.error(error);
}

/**
 * Calls a callback. What it throws is reported, as is what the promise that it returns is rejected with.
 *
 * @param {() => unknown} callback
 */
export function reporting(callback) {
  try {
    const made = callback();
    if (made) Promise.resolve(made).catch(report);
  } catch (error) {
    report(error);
  }
}
