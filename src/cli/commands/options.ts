// Options that several commands share, and parsers of option values. Commander reports an invalid value in one line before the command runs.
import { InvalidArgumentError, Option } from "commander";
import { CREDITS_MAX } from "../../contract/money.ts";
import { readCredits } from "../../core/money/credits.ts";

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

/** The option `--limit` of a list of things. */
export function limitOption(things: string, maximum: number, byDefault: number): Option {
  return new Option("--limit <number>", `number of ${things}, at most ${maximum}`)
    .argParser(wholeNumber(1, maximum))
    .default(byDefault);
}

/** Parses a whole number from `minimum` on, up to `maximum` if there is one. */
export function wholeNumber(minimum: number, maximum?: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= minimum && number <= (maximum ?? 1_000_000_000)) return number;
    const allowed = maximum === undefined ? `, ${minimum} or more` : ` from ${minimum} to ${maximum}`;
    throw new InvalidArgumentError(`Allowed: a whole number${allowed}.`);
  };
}

/** Parses a whole number of at least `minimum`, or a word that stands for null (commander drops a null). */
export function wholeNumberOr<Word extends string>(word: Word, minimum: number): (text: string) => number | Word {
  return (text) => {
    if (text === word) return word;
    try {
      return wholeNumber(minimum)(text);
    } catch {
      throw new InvalidArgumentError(`Allowed: a whole number, ${minimum} or more, or ${word}.`);
    }
  };
}

/** Parses an amount of credits above 0 into nano-credits. */
export function readAmount(text: string): bigint {
  const amount = readCredits(text);
  if (amount === null || amount === 0n) {
    throw new InvalidArgumentError(`Allowed: a decimal above 0, down to a millionth, at most ${CREDITS_MAX}.`);
  }
  return amount;
}

/** Parser of a text that a pattern describes. */
export function matching(pattern: string, allowed: string): (text: string) => string {
  return (text) => {
    if (new RegExp(pattern).test(text)) return text;
    throw new InvalidArgumentError(`Allowed: ${allowed}`);
  };
}
