// Query parameters that are texts.
import { invalidInput } from "../../contract/errors.ts";
import { NAME_CHARACTERS_MAX } from "../../contract/manage/limits.ts";
import { NO_MEMBER } from "../../contract/money.ts";

type Query = ReadonlyMap<string, string>;

/** Reads a text; null when there is none. Throws 400 `invalid_input` for an empty or a long one. */
export function readText(param: string, query: Query): string | null {
  const text = query.get(param) ?? null;
  if (text !== null && (text === "" || text.length > NAME_CHARACTERS_MAX)) {
    throw invalidInput(param, `${param} is ${quote(text)}; allowed: 1 to ${NAME_CHARACTERS_MAX} characters.`);
  }
  return text;
}

/** Reads the id of a member as the store's filters take it: "" for the keys of nobody, null when there is none. */
export function readMember(query: Query): string | null {
  const text = readText("member", query);
  return text === NO_MEMBER ? "" : text;
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
