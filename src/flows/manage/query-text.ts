// Query parameters that are texts.
import { invalidInput } from "../../contract/errors.ts";
import { NAME_CHARACTERS_MAX } from "../../contract/manage/limits.ts";
import { NONE } from "../../contract/money.ts";

type Query = ReadonlyMap<string, string>;

/** Reads a text; null when there is none. Throws 400 `invalid_input` for an empty or a long one. */
export function readText(param: string, query: Query, charactersMax = NAME_CHARACTERS_MAX): string | null {
  const text = query.get(param) ?? null;
  if (text !== null && (text === "" || text.length > charactersMax)) {
    throw invalidInput(param, `${param} is ${quote(text)}; allowed: 1 to ${charactersMax} characters.`);
  }
  return text;
}

/** Reads the id of a member for a filter: null without one, "" (from `none`) for keys that belong to no member. */
export function readMember(query: Query): string | null {
  return readTextOrNone("member", query);
}

/** Reads a text for a filter: null without one, "" (from `none`) for rows that have none. */
export function readTextOrNone(param: string, query: Query, charactersMax?: number): string | null {
  const text = readText(param, query, charactersMax);
  return text === NONE ? "" : text;
}

/** Reads one of the allowed words; null when there is none. Throws 400 `invalid_input` for another one. */
export function readOneOf<Value extends string>(param: string, query: Query, allowed: readonly Value[]): Value | null {
  const text = query.get(param);
  if (text === undefined) return null;
  const value = allowed.find((each) => each === text);
  if (value === undefined) throw invalidInput(param, `${param} is ${quote(text)}; allowed: ${allowed.join(", ")}.`);
  return value;
}

/** A value in a message. */
export function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
