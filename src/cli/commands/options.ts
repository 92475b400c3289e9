// Options that several commands share, and parsers of option values.
import { type Command, InvalidArgumentError } from "commander";

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

/** The options of a command that works on the store here, or with `--url` on a running service. */
export interface ServiceOptions {
  readonly url?: string;
  readonly token?: string;
}

/** Adds the options of a running service to a command. */
export function addServiceOptions(command: Command): Command {
  return command
    .option("--url <url>", "a running service: the address of its management interface, instead of the store here")
    .option("--token <token>", "with --url: a token of the management interface, adm_…");
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
