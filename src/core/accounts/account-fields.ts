// What names, e-mail addresses and passwords may be: one rule for the command line and the management interface. @spec authentication
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import {
  EMAIL_CHARACTERS_MAX,
  KEY_NAME_CHARACTERS_MIN,
  NAME_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
} from "../../contract/manage/limits.ts";

/** An organization's name, trimmed; refuses 400 `invalid_input` an empty one, one too long, and one that looks like an id. */
export function readOrganizationName(text: string): string {
  const name = readText("name", text, 1, NAME_CHARACTERS_MAX);
  // Organizations are found by id or name: one must never be taken for the other.
  if (name.startsWith("org_")) throw invalidInput("name", `name is "${name}"; org_ is what ids begin with.`);
  return name;
}

/** The name of a key or token, trimmed: 3 characters or more. */
export function readKeyName(text: string): string {
  return readText("name", text, KEY_NAME_CHARACTERS_MIN, NAME_CHARACTERS_MAX);
}

/** An e-mail address, trimmed, in lower case: whoever types it in another one is still the same person. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (/^[^\s@]+@[^\s@]+$/.test(email) && !hasControls(email) && email.length <= EMAIL_CHARACTERS_MAX) return email;
  throw invalidInput("email", `email is "${email.slice(0, NAME_CHARACTERS_MAX)}"; allowed: an e-mail address.`);
}

/** A new password, as it is; `param` is its field. The refusal does not repeat it. */
export function readPassword(param: string, text: string): string {
  const length = countCharacters(text);
  if (length >= PASSWORD_CHARACTERS_MIN && length <= PASSWORD_CHARACTERS_MAX) return text;
  const allowed = `${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters`;
  throw invalidInput(param, `${param} has ${length} characters; allowed: ${allowed}.`);
}

function readText(param: string, text: string, minimum: number, maximum: number): string {
  const trimmed = text.trim();
  const length = countCharacters(trimmed);
  if (length >= minimum && length <= maximum && !hasControls(trimmed)) return trimmed;
  const shown = length > maximum ? `has ${length} characters` : `is ${JSON.stringify(trimmed)}`;
  const allowed = minimum > 1 ? `at least ${minimum} characters` : "any text that is not empty";
  throw invalidInput(param, `${param} ${shown}; allowed: ${allowed}, at most ${maximum} characters on one line.`);
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
