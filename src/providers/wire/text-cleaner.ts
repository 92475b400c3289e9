// Output text that can be stored: well-formed Unicode without U+0000.

export interface TextCleaner {
  /** The text to pass on; half of a surrogate pair at its end waits for the other half. Throws for U+0000. */
  clean(text: string): string;
  /** The rest at the end of the text. */
  end(): string;
}

/** Cleans consecutive deltas; `unreadable` creates the error for text that cannot be stored. */
export function createTextCleaner(unreadable: () => Error): TextCleaner {
  let high = "";

  function repair(text: string): string {
    const whole = high + text;
    const last = whole.charCodeAt(whole.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    // Servers that escape characters above U+FFFF may split a surrogate pair between two deltas.
    high = isCut ? whole.slice(-1) : "";
    return (isCut ? whole.slice(0, -1) : whole).toWellFormed();
  }

  return {
    clean(text) {
      if (text.includes("\0")) throw unreadable();
      return high === "" && text.isWellFormed() ? text : repair(text);
    },
    end() {
      const rest = high.toWellFormed();
      high = "";
      return rest;
    },
  };
}
