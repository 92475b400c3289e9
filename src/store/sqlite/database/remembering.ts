// Stored texts that are read again and again, and are nearly always the same few: what they say is kept, by the text itself.

/** Values that are kept of one kind; when there are more, all are forgotten. */
const REMEMBERED_MAX = 1000;

/** A parser that parses each text once, as long as it is remembered. What it answers is shared: nobody may change it. */
export function remembering<Value>(parse: (text: string) => Value): (text: string) => Value {
  const values = new Map<string, Value>();
  return (text) => recall(values, text, () => parse(text));
}

/** The value of a key: the one that is kept, or the one that is now made and kept, unless there is none (undefined). */
export function recall<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (value === undefined) return value;
  if (values.size >= REMEMBERED_MAX) values.clear();
  values.set(key, value);
  return value;
}
