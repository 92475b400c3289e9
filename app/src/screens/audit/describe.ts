// Values of the audit log in words.
import { formatTime } from "../../parts/format.ts";

/** The fields that are amounts of credits. */
const MONEY = new Set(["amount", "credits", "limit", "spent", "ceiling", "own_limit"]);

/** A value in words; null: the entry has none. Times are those of the person, amounts in the words of `money`. */
export function describe(field: string, value: unknown, money: (amount: number) => string): string | null {
  if (value === undefined) return null;
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && MONEY.has(field)) return money(value);
  if (typeof value === "number") return /(^|_)(at|until)$/.test(field) ? formatTime(value).text : String(value);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((each) => describe(field, each, money)).join(", ");
  return Object.entries(value)
    .map(([name, part]) => `${name.replaceAll("_", " ")} ${describe(name, part, money)}`)
    .join(", ");
}
