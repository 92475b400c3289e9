// Responses of any length, as the text of their events.

/** An event with this data. */
export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** So many events. */
export function* many(count: number, make: (index: number) => unknown): Generator<string> {
  for (let index = 0; index < count; index++) yield event(make(index));
}

/** Texts one after another. */
export function* chain(...parts: readonly (string | Iterable<string>)[]): Generator<string> {
  for (const part of parts) {
    if (typeof part === "string") yield part;
    else yield* part;
  }
}
