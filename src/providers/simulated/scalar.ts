// Finds the smallest string or number that a JSON Schema allows.
import { toDouble } from "../../base/exact-json.ts";
import type { JsonObject } from "../../base/json.ts";
import { createMatch } from "./pattern.ts";

/** No value: the schema has none, or none without recursion. */
export const NONE = Symbol("none");

/** A value of each format. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["date", "2026-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "P1D"],
  ["email", "user@example.com"],
  ["idn-email", "user@example.com"],
  ["hostname", "example.com"],
  ["idn-hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
  ["uri", "https://example.com/"],
  ["iri", "https://example.com/"],
  ["uri-reference", "https://example.com/"],
  ["iri-reference", "https://example.com/"],
  ["uri-template", "https://example.com/"],
  ["json-pointer", "/text"],
  ["relative-json-pointer", "0"],
  ["regex", "text"],
]);

/** A string of the schema's length and its format or pattern; `variant` numbers strings that must differ. */
export function findString(schema: JsonObject, variant: number): unknown {
  const least = readBound(schema.minLength) ?? 0;
  const most = readBound(schema.maxLength) ?? Number.POSITIVE_INFINITY;
  if (most < least) return NONE;
  if (typeof schema.pattern === "string") {
    const match = createMatch(schema.pattern, least);
    if (match !== null && match.length >= least && match.length <= most) return match;
  }
  const formatted = typeof schema.format === "string" ? FORMATS.get(schema.format) : undefined;
  if (formatted !== undefined) return formatted;
  const text = variant === 0 ? "text" : `${variant}text`;
  return text.padEnd(Math.min(least, 1_000_000), "x").slice(0, Math.min(most, 1_000_000));
}

/** The number nearest to zero within the bounds; `grid` 1 for integers. */
export function findNumber(schema: JsonObject, grid: number, variant: number): unknown {
  const multipleOf = readBound(schema.multipleOf);
  const multiple = multipleOf !== null && multipleOf > 0 ? multipleOf : null;
  // An integer that is a multiple of 0.5 is a multiple of 1.
  const step = multiple === null ? grid : grid === 1 && !Number.isInteger(multiple) ? 1 : multiple;
  const least = readBound(schema.minimum) ?? Number.NEGATIVE_INFINITY;
  const most = readBound(schema.maximum) ?? Number.POSITIVE_INFINITY;
  const above = readBound(schema.exclusiveMinimum) ?? Number.NEGATIVE_INFINITY;
  const below = readBound(schema.exclusiveMaximum) ?? Number.POSITIVE_INFINITY;
  const fits = (value: number) => value >= least && value <= most && value > above && value < below;

  const low = Math.max(least, above);
  const high = Math.min(most, below);
  const stride = step === 0 ? 1 : step;
  const onGrid = (value: number, round: (quotient: number) => number) =>
    step === 0 ? value : round(value / step) * step;
  const candidates = [
    0,
    onGrid(low, Math.ceil),
    onGrid(low, Math.floor) + stride,
    onGrid(high, Math.floor),
    onGrid(high, Math.ceil) - stride,
    ...(step === 0 ? [(low + high) / 2] : []),
  ];
  const found = candidates.find((value) => Number.isFinite(value) && fits(value));
  if (found === undefined) return NONE;
  const varied = found + variant * stride;
  if (fits(varied)) return varied;
  const variedDown = found - variant * stride;
  return fits(variedDown) ? variedDown : found;
}

/** The value as a finite number; null for anything else, which is no bound. */
export function readBound(value: unknown): number | null {
  const bound = toDouble(value);
  return typeof bound === "number" && Number.isFinite(bound) ? bound : null;
}
