// Where two JSON values differ first.

/** The path of the first difference with both values, such as `$.output[0].type: "a" instead of "b"`; null: none. */
export function differenceOf(expected: unknown, found: unknown, path = "$"): string | null {
  if (Object.is(expected, found)) return null;
  if (typeof expected !== "object" || typeof found !== "object" || expected === null || found === null)
    return `${path}: ${show(found)} instead of ${show(expected)}`;
  const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
  const [one, other] = [expected as Record<string, unknown>, found as Record<string, unknown>];
  for (const name of names) {
    const below = Array.isArray(expected) ? `${path}[${name}]` : `${path}.${name}`;
    const difference = differenceOf(one[name], other[name], below);
    if (difference !== null) return difference;
  }
  return null;
}

function show(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}
