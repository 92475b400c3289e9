// Writes a long body in slices, each when the client has read those before, so that other requests are served between.
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Bytes written in one turn of the event loop. */
const SLICE_BYTES = 256 * 1024;
/** Characters of a text that are encoded at once: a slice at most, as all take up to three bytes. */
const SLICE_CHARACTERS = Math.floor(SLICE_BYTES / 3);

/** Writes the pieces in order; resolves when all are written or the connection is closed. */
export async function writeSlices(
  response: ServerResponse,
  pieces: readonly (string | Uint8Array)[],
  onWritten: (bytes: number) => void,
): Promise<void> {
  let written = 0;
  for (const slice of slicesOf(pieces)) {
    if (response.destroyed) return;
    onWritten(slice.length);
    written += slice.length;
    // oxlint-disable-next-line no-await-in-loop -- one slice after the other
    if (!response.write(slice)) await drained(response);
    if (written < SLICE_BYTES) continue;
    written = 0;
    // oxlint-disable-next-line no-await-in-loop -- other requests are served in between
    await nextTurn();
  }
}

function* slicesOf(pieces: readonly (string | Uint8Array)[]): Generator<Uint8Array> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const end = typeof piece === "string" ? endOfSlice(piece, at) : at + SLICE_BYTES;
      yield typeof piece === "string" ? Buffer.from(piece.slice(at, end)) : piece.subarray(at, end);
      at = end;
    }
  }
}

/** Not between the halves of a surrogate pair, which are encoded together. */
function endOfSlice(text: string, start: number): number {
  const end = start + SLICE_CHARACTERS;
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off("drain", end).off("close", end);
      resolve();
    };
    response.on("drain", end).on("close", end);
  });
}
