/** Responses in the worst shapes that a provider could send, for each family; generated while they are sent. */

/** The text of one response, piece by piece. */
export type Shape = () => Iterable<string>;

/** Shapes by model name. */
export type Shapes = Readonly<Record<string, Shape>>;

/** Maximum length of a response, characters; the service does not read beyond it. */
const ANSWER_CHARACTERS = 60 * 1024 * 1024;

/** Repeats a piece up to the maximum length or a count. */
export function* many(piece: (index: number) => string, most = Number.POSITIVE_INFINITY): Generator<string> {
  let sent = 0;
  for (let index = 0; index < most && sent < ANSWER_CHARACTERS; index++) {
    const text = piece(index);
    sent += text.length;
    yield text;
  }
}

/** Concatenates strings and sequences of strings. */
export function* chain(...pieces: readonly (string | Iterable<string>)[]): Generator<string> {
  for (const piece of pieces) {
    if (typeof piece === "string") yield piece;
    else yield* piece;
  }
}

/** One event of a stream. */
export function event(value: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
}

/** An array of `count` equal values. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A piece of reasoning that does not end. */
export const THOUGHT = "thinking ".repeat(100);

/** Shapes that have no meaning on any wire. */
export const NOISE: Shapes = {
  "noise-empty-events": () => many(() => "data:\n\n"),
  "noise-empty-objects": () => many(() => "data: {}\n\n"),
  "noise-line-breaks": () => many(() => "\n".repeat(1000)),
  "noise-blanks": () => many(() => " ".repeat(1000)),
  "noise-comments": () => many(() => ":\n"),
  "noise-one-line": () => many((index) => (index === 0 ? "data: " : "x".repeat(1000))),
  "noise-split-data": () => many((index) => (index % 500_000 === 499_999 ? "\n" : "data:1\n")),
  "noise-braces": () => many(() => "{\n"),
  "noise-brackets": () =>
    chain(
      "[",
      many(() => "[],".repeat(1000), 2_600),
      "[]]",
    ),
  "noise-nested": () => chain("[".repeat(4_000_000)),
};
