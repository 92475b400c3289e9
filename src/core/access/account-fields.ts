// Reads names, e-mail addresses and passwords, for the command line and the management interface alike. Every function
// that reads throws 400 `invalid_input` with the field as param. @spec authentication
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import {
  EMAIL_CHARACTERS_MAX,
  KEY_NAME_CHARACTERS_MIN,
  NAME_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
} from "../../contract/manage/limits.ts";

/** An organization's name, trimmed. It must not be empty, too long or look like an id. */
export function readOrganizationName(text: string): string {
  const name = readText("name", text, 1, NAME_CHARACTERS_MAX);
  // Organizations are looked up by id or name, so a name must not look like an id.
  if (name.startsWith("org_"))
    throw invalidInput("name", `name is "${name}"; names must not begin with org_, which marks ids.`);
  return name;
}

/** The name of a key or token, trimmed: 3 characters or more. */
export function readKeyName(text: string): string {
  return readText("name", text, KEY_NAME_CHARACTERS_MIN, NAME_CHARACTERS_MAX);
}

/** The name of an operator, trimmed: whatever names the person in the audit log. */
export function readOperatorName(text: string): string {
  return readText("name", text, 1, NAME_CHARACTERS_MAX);
}

/** An e-mail address, trimmed and in lower case, so that the same person is found in any spelling. */
export function readEmail(text: string): string {
  const email = emailOf(text);
  if (email !== null) return email;
  const shown = text.trim().slice(0, NAME_CHARACTERS_MAX);
  throw invalidInput(
    "email",
    `email is "${shown}"; allowed: an e-mail address, with letters outside ASCII in lower case.`,
  );
}

/**
 * The e-mail address in a text, trimmed and in lower case; null when the text is none. Only what is ASCII may be trimmed
 * or change in lower case: with other characters one address would become another, whose owner is somebody else (the
 * Kelvin sign, U+212A, becomes `k`).
 */
export function emailOf(text: string): string | null {
  const email = text.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(email) && !hasControls(email) && email.length <= EMAIL_CHARACTERS_MAX;
  return isAddress && email === email.toLowerCase() && !OTHER_SPACE.test(text) ? email : null;
}

/** White space outside ASCII. */
const OTHER_SPACE = /(?![\t-\r ])\s/;

/** A new password, unchanged. The error names the field `param` and does not repeat the password. */
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
  throw invalidInput(
    param,
    `${param} ${shown}; allowed: ${allowed}, at most ${maximum} visible characters on one line.`,
  );
}

/** Whether a text has more than one line, turns the direction of what stands behind it, or shows nothing. */
function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]|^[\p{Cf}\p{Zs}]*$/u.test(text);
}
