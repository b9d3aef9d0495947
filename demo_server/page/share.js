/** A trial as the fragment of an address: JSON, deflated, in base64url. The fragment is never sent to a server. */

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export async function encoded(trial) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(trial)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The most characters of a trial that a link may unpack to. */
const MOST = 400_000;

/** The trial in a fragment; null when it holds none. */
export async function decoded(fragment) {
  try {
    const binary = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    const trial = JSON.parse(await limited(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))));
    return trial !== null && typeof trial === "object" ? trial : null;
  } catch {
    return null;
  }
}

async function limited(stream) {
  const decoder = new TextDecoder();
  let text = "";
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST) {
      await reader.cancel();
      throw new RangeError("The link holds too much");
    }
  }
}
