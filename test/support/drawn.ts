// Tests that take long: `npm run test:long` runs all of them, `npm test` a drawn third.

/** Which third: 0, 1 or 2, or `all` of them. A run draws it once (global-setup.ts); the variable repeats it. */
const THIRD = (process.env["TEST_THIRD"] ??= drawThird());

export function drawThird(): string {
  return String(Math.floor(Math.random() * 3));
}

interface Reports {
  diagnostic(message: string): void;
}

/** Which steps of a long loop are run: from the first on, each `by` steps. */
export function drawSteps(t: Reports): { readonly first: number; readonly by: number } {
  t.diagnostic(REPEATS_THIS);
  return THIRD === "all" ? { first: 1, by: 1 } : { first: 1 + Number(THIRD), by: 3 };
}

/** The value for `skip` of a long test that belongs to that third: why it is left out; false if it is drawn. */
export function unlessDrawn(third: 0 | 1 | 2): string | false {
  return THIRD === "all" || Number(THIRD) === third ? false : `TEST_THIRD=${third} runs it`;
}

/** Whether the entry at this index of a list belongs to the drawn third. For lists whose entries take long to test. */
export function isDrawn(at: number): boolean {
  return THIRD === "all" || at % 3 === Number(THIRD);
}

/** The same for something that stands in no list, by its name. */
export function isNameDrawn(name: string): boolean {
  return isDrawn(Array.from(name).reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0));
}

/** For the message of a failure. */
export const REPEATS_THIS = `TEST_THIRD=${THIRD} repeats this`;
