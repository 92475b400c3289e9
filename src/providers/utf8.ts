// Bytes to text across the cuts of the network: strict UTF-8, no replacement characters.
import { isUtf8 } from "node:buffer";

/** Thrown for bytes that are not UTF-8. */
export class NotUtf8 extends Error {
  override readonly name = "NotUtf8";
}

export interface Utf8Reader {
  /** The text of the next bytes; a character cut at their end waits for the rest. Throws NotUtf8. */
  read(bytes: Uint8Array): string;
  /** Says that nothing follows. Throws NotUtf8 when a character was cut. */
  end(): void;
}

/** Reads one stream of bytes. */
export function createUtf8Reader(): Utf8Reader {
  // Almost every chunk is whole: checking and converting it as one costs half of what a streaming TextDecoder does. The decoder
  // is made when a chunk first ends within a character (or is broken), and then stays.
  let decoder: TextDecoder | null = null;

  function decode(bytes: Uint8Array, isLast: boolean): string {
    decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    try {
      return decoder.decode(bytes, { stream: !isLast });
    } catch (cause) {
      throw new NotUtf8("bytes that are not UTF-8", { cause });
    }
  }

  return {
    read(bytes) {
      if (decoder === null && isUtf8(bytes)) {
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
      }
      return decode(bytes, false);
    },
    end() {
      if (decoder !== null) decode(new Uint8Array(0), true);
    },
  };
}
