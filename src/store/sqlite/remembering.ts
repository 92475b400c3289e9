// Stored texts that are read again and again, and are nearly always the same few: what they say is kept, by the text itself.

/** Texts whose values are kept; when there are more, all are forgotten. */
const REMEMBERED_MAX = 1000;

/** A parser that parses each text once, as long as it is remembered. What it answers is shared: nobody may change it. */
export function remembering<Value>(parse: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = parse(text);
    if (values.size >= REMEMBERED_MAX) values.clear();
    values.set(text, value);
    return value;
  };
}
