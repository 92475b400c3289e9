// Reads a body up to a number of bytes.

/** All bytes of a body. Throws, and cancels the rest, if there are more than `bytesMax`. */
export async function bytesOf(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (bytes > bytesMax) throw new Error(`The answer has more than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
