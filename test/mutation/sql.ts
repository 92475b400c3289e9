// Faults in SQL templates, which hold most decisions of the store.
import type { Fault } from "./fault.ts";

const OTHERS: readonly (readonly [pattern: RegExp, other: string])[] = [
  [/ <= /g, " < "],
  [/ < /g, " <= "],
  [/ >= /g, " > "],
  [/ > /g, " >= "],
  [/ <> /g, " = "],
  [/\band\b/g, "or"],
  [/\bis not null\b/g, "is null"],
  [/\bis null\b/g, "is not null"],
  [/\basc\b/g, "desc"],
  [/\bdesc\b/g, "asc"],
  [/ \+ (?=:)/g, " - "],
  [/ - (?=:)/g, " + "],
];

/** The faults of one template element that starts at `offset`; none if it is not SQL. */
export function mutateSql(sql: string, offset: number): Fault[] {
  // The element begins with its delimiter.
  if (!/^[\s`}]*(?:select|insert|update|delete|where|and|from)\b/m.test(sql)) return [];
  return OTHERS.flatMap(([pattern, other]) =>
    Array.from(sql.matchAll(pattern), ({ 0: found, index }) => {
      const start = offset + index;
      return { start, end: start + found.length, replacement: other };
    }),
  );
}
