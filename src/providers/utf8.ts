// Bytes to text across the cuts of the network: strict UTF-8, no replacement characters.
import { isUtf8 } from "node:buffer";

/** Thrown for bytes that are not UTF-8. */
export class NotUtf8 extends Error {
  override readonly name = "NotUtf8";
}

export interface Utf8Reader {
  /**
   * The text of the next bytes; a character cut at their end waits for the rest. Of bytes that are not UTF-8, the lines before
   * the first that is not; after them there is no more text.
   */
  read(bytes: Uint8Array): string;
  /** Throws NotUtf8 when such bytes have come. */
  check(): void;
  /** Says that nothing follows. Throws NotUtf8 also when a character was cut. */
  end(): void;
}

const NOTHING = Buffer.alloc(0);
const LINE_BREAK = 0x0a;

/** Reads one stream of bytes. */
export function createUtf8Reader(): Utf8Reader {
  /** The bytes of a character that is not whole yet. */
  let cut: Buffer = NOTHING;
  let isBroken = false;

  function check(): void {
    if (isBroken) throw new NotUtf8("bytes that are not UTF-8");
  }

  return {
    read(bytes) {
      if (isBroken) return "";
      const came = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const all = cut.length === 0 ? came : Buffer.concat([cut, came]);
      cut = NOTHING;
      // Almost every chunk is whole.
      if (isUtf8(all)) return all.toString("utf8");
      const whole = all.subarray(0, all.length - cutBytes(all));
      if (isUtf8(whole)) {
        cut = Buffer.from(all.subarray(whole.length));
        return whole.toString("utf8");
      }
      isBroken = true;
      return goodLines(all).toString("utf8");
    },
    check,
    end() {
      isBroken ||= cut.length > 0;
      check();
    },
  };
}

/** How many bytes at the end are the beginning of a character of more. */
function cutBytes(bytes: Buffer): number {
  for (let count = 1; count <= 3 && count <= bytes.length; count++) {
    // The first byte of a character begins with as many ones as it has bytes, each further one with a single one.
    const ones = Math.clz32(~(bytes[bytes.length - count] as number) << 24);
    if (ones !== 1) return ones <= 4 && count < ones ? count : 0;
  }
  return 0;
}

/** The whole lines before the first bytes that are not UTF-8: no byte of another character is a line break. */
function goodLines(bytes: Buffer): Buffer {
  let end = 0;
  for (;;) {
    const next = bytes.indexOf(LINE_BREAK, end) + 1;
    if (next === 0 || !isUtf8(bytes.subarray(end, next))) return bytes.subarray(0, end);
    end = next;
  }
}
