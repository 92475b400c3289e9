// Options that several commands share, and parsers of option values.
import { InvalidArgumentError } from "commander";

/** Flags and description of `--org ORG`. */
export const ORGANIZATION = ["--org <org>", "organization, by id or name"] as const;

/** The options of a command about one organization. */
export interface OrganizationOptions {
  readonly org: string;
}

/** The options of a command about one organization, or all. */
export interface ScopeOptions {
  readonly org?: string;
}

/**
 * The parser of an option's value: what `read` makes of it. Null and undefined are an error that says what is allowed, which commander reports in
 * one line before the command runs.
 */
export function parsedBy<Value>(read: (text: string) => Value | null | undefined, allowed: string) {
  return (text: string): Value => {
    const value = read(text);
    if (value === null || value === undefined) throw new InvalidArgumentError(`Allowed: ${allowed}.`);
    return value;
  };
}

/** Parses a whole number from `minimum` on, up to `maximum` if there is one. */
export function wholeNumber(minimum: number, maximum?: number): (text: string) => number {
  const allowed =
    maximum === undefined ? `a whole number, ${minimum} or more` : `a whole number from ${minimum} to ${maximum}`;
  return parsedBy((text) => readWhole(text, minimum, maximum), allowed);
}

function readWhole(text: string, minimum: number, maximum = 1_000_000_000): number | null {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= minimum && number <= maximum ? number : null;
}
