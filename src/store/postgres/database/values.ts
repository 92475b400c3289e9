// Converts values between the store's rules, which use SQLite's types, and PostgreSQL.
import type { CustomTypesConfig } from "pg";
import type { SqlValue } from "../../engine/transaction.ts";

/** Types of numbers: int8, int2, int4, float4, float8, numeric. Amounts of money are selected as text. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);
const BOOLEAN = 16;

/** Parsers of results: a number for every type of number, 1 or 0 for a boolean, and text for everything else. */
export const RESULT_TYPES: CustomTypesConfig = {
  getTypeParser: ((type: number) => {
    if (NUMBERS.has(type)) return Number;
    return type === BOOLEAN ? parseBoolean : parseText;
  }) as CustomTypesConfig["getTypeParser"],
};

function parseBoolean(text: string): number {
  return text === "t" ? 1 : 0;
}

function parseText(text: string): string {
  return text;
}

const NULLS = /\0/g;

/** A value as the driver sends it. PostgreSQL's text cannot contain U+0000, which becomes U+FFFD. */
export function encodeValue(value: SqlValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") return String(value);
  return value.includes("\0") ? value.replace(NULLS, "\uFFFD") : value;
}
