// A budget of bytes for several texts; each is cut to what is left of it.

/** Stands at the end of a text that was cut. */
export const CUT_MARK = "… [cut]";
/** Cost of a part besides its text, bytes: it bounds the number of empty parts. */
const PART_BYTES = 64;

export interface TextBudget {
  /**
   * The text, or its beginning and the mark; null when nothing is left. Costs no more than what is left, however long
   * the text.
   */
  take(text: string): string | null;
  /** Bytes that are used up. */
  spent(): number;
  /** Whether a text was cut or left out. */
  isOverdrawn(): boolean;
}

/** A budget of that many UTF-8 bytes. */
export function createTextBudget(bytes: number): TextBudget {
  let left = bytes;
  let isOverdrawn = false;
  return {
    take(text) {
      if (left <= PART_BYTES) {
        left = 0;
        isOverdrawn = true;
        return null;
      }
      left -= PART_BYTES;
      // No text has fewer bytes than UTF-16 units.
      const size = text.length > left ? Infinity : Buffer.byteLength(text);
      if (size <= left) {
        left -= size;
        return text;
      }
      const { read } = new TextEncoder().encodeInto(text.slice(0, left), new Uint8Array(left));
      left = 0;
      isOverdrawn = true;
      // The cut may have divided a surrogate pair.
      return text.slice(0, read).toWellFormed() + CUT_MARK;
    },
    spent: () => bytes - left,
    isOverdrawn: () => isOverdrawn,
  };
}
