// Output text that can be stored: well-formed Unicode without U+0000.

/** The text with U+FFFD for each U+0000, and for each half of a surrogate pair. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "\ufffd").toWellFormed();
}

export interface TextCleaner {
  /** The text to pass on; half of a surrogate pair at its end waits for the other half. */
  clean(text: string): string;
  /** The rest at the end of the text. */
  end(): string;
}

/** Cleans consecutive deltas; `onNul` is called for those with U+0000. */
export function createTextCleaner(onNul: () => void): TextCleaner {
  let high = "";

  function repair(text: string): string {
    const whole = high + text;
    const last = whole.charCodeAt(whole.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    // Servers that escape characters above U+FFFF may split a surrogate pair between two deltas.
    high = isCut ? whole.slice(-1) : "";
    return storableText(isCut ? whole.slice(0, -1) : whole);
  }

  return {
    clean(text) {
      const hasNul = text.includes("\0");
      if (hasNul) onNul();
      return !hasNul && high === "" && text.isWellFormed() ? text : repair(text);
    },
    end() {
      const rest = high.toWellFormed();
      high = "";
      return rest;
    },
  };
}
