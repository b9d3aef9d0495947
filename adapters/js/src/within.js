/** How long a server or a store may take to answer, in milliseconds. */
export const ANSWER = 15_000;

/**
 * Returns what a request gives. Rejects with an error when there is no answer after 15 seconds, whether the request heeds its signal
 * or not.
 *
 * @template Given
 * @param {() => Error} late - Makes the error.
 * @param {(signal: AbortSignal) => Given | Promise<Given>} request
 * @returns {Promise<Given>}
 */
export function within(late, request) {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = late();
      reject(error);
      controller.abort(error);
    }, ANSWER);
    const asked = (async () => request(controller.signal))();
    asked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
