// Readers of options and arguments: what is wrong is said by commander, in one line, before anything is done.
import { InvalidArgumentError, Option } from "commander";
import type { OutputOptions } from "./output.ts";

/** `--json`, which every command has. */
export function jsonOption(): Option {
  return new Option("--json", "print JSON");
}

/** `--org ORG`, required. */
export function organizationOption(): Option {
  return new Option("--org <org>", "the organization, by id or name").makeOptionMandatory();
}

/** What a command about one organization is given at least. */
export interface OrganizationOptions extends OutputOptions {
  readonly org: string;
}

/** Reads a whole number from `minimum` on. */
export function wholeNumber(minimum: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || number > 1_000_000_000) {
      throw new InvalidArgumentError(`Allowed: a whole number, ${minimum} or more.`);
    }
    return number;
  };
}

/** Reads a whole number from `minimum` on, or the word that stands for none of one's own (commander swallows a null). */
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
