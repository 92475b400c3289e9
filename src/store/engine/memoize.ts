// Memoizes parsers of stored texts that are read often and have few distinct values.

/** Entries kept in one cache; when it is full, all of them are dropped. */
export const MEMOIZED_MAX = 1000;

/** Memoizes a parser by its input text. Callers share the returned values and must not change them. */
export function memoize<Value>(parse: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = parse(text);
    if (values.size >= MEMOIZED_MAX) values.clear();
    values.set(text, value);
    return value;
  };
}
