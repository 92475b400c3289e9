// Compares values of the file with the existing ones.

/** Whether two values are equal. The order in a list of models means nothing. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String).toSorted() : value;
}

/**
 * The values of `given` that differ from `present`, before and after; null when all are equal. Absent values do not
 * count.
 */
export function differenceOf<Values extends object>(
  present: Values,
  given: Partial<Values>,
): { readonly before: Partial<Values>; readonly after: Partial<Values> } | null {
  const names = (Object.keys(given) as (keyof Values)[]).filter(
    (name) => given[name] !== undefined && !isSameValue(present[name], given[name]),
  );
  if (names.length === 0) return null;
  return { before: pick(present, names), after: pick(given, names) };
}

function pick<Values extends object>(values: Partial<Values>, names: readonly (keyof Values)[]): Partial<Values> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>;
}
