// Values of the audit log in words.
import { formatTime } from "../../parts/format.ts";

/** A value in words; null: the entry has none. Times are those of the person. */
export function describe(field: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return /(^|_)(at|until)$/.test(field) ? formatTime(value).text : String(value);
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map((each) => describe(field, each)).join(", ");
  return Object.entries(value)
    .map(([name, part]) => `${name.replaceAll("_", " ")} ${describe(name, part)}`)
    .join(", ");
}
