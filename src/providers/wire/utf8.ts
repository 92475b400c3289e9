// Decodes UTF-8 across network reads, strictly: no replacement characters.
import { isUtf8 } from "node:buffer";

/** Thrown for bytes that are not UTF-8. */
export class NotUtf8Error extends Error {
  override readonly name = "NotUtf8Error";
}

const NOTHING = Buffer.alloc(0);
const LINE_BREAK = 0x0a;

/** Makes text of one stream of bytes. */
export interface TextReader {
  /**
   * The text of the next bytes; an incomplete character at their end waits for the rest. For invalid bytes, the lines before the first
   * invalid one; then no more text.
   */
  read(bytes: Uint8Array): string;
  /** Throws if invalid bytes were read. */
  check(): void;
  /** Ends the text. Throws also for an incomplete character. */
  end(): void;
  /** Bytes read that are not text yet; those of a character do not count. */
  heldBytes?(): number;
}

/** Decodes UTF-8: errors are NotUtf8Errors. */
export function createUtf8Reader(): TextReader {
  /** The bytes of an incomplete character. */
  let cut: Buffer = NOTHING;
  let isBroken = false;

  function check(): void {
    if (isBroken) throw new NotUtf8Error("bytes that are not UTF-8");
  }

  return {
    read(bytes) {
      if (isBroken) return "";
      const came = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const all = cut.length === 0 ? came : Buffer.concat([cut, came]);
      cut = NOTHING;
      // Almost every chunk ends between characters.
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

/** Number of bytes at the end that begin an incomplete character. */
function cutBytes(bytes: Buffer): number {
  for (let count = 1; count <= 3 && count <= bytes.length; count++) {
    // The first byte of a character has as many leading ones as the character has bytes; a continuation byte has one.
    const ones = Math.clz32(~(bytes[bytes.length - count] as number) << 24);
    if (ones !== 1) return ones <= 4 && count < ones ? count : 0;
  }
  return 0;
}

/** The complete lines before the first invalid bytes. No byte of a multi-byte character equals a line break. */
function goodLines(bytes: Buffer): Buffer {
  let end = 0;
  for (;;) {
    const next = bytes.indexOf(LINE_BREAK, end) + 1;
    if (next === 0 || !isUtf8(bytes.subarray(end, next))) return bytes.subarray(0, end);
    end = next;
  }
}
