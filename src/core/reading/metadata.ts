// Reads metadata: labels that a client attaches to a response or a conversation. @spec limits
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput } from "../../contract/errors.ts";
import {
  METADATA_KEY_CHARACTERS_MAX,
  METADATA_PAIRS_MAX,
  METADATA_VALUE_CHARACTERS_MAX,
} from "../../contract/limits.ts";
import type { Metadata } from "../../contract/resources.ts";
import { isJsonObject } from "../../base/json.ts";
import { isSent } from "./field.ts";
import { describe } from "./json-value.ts";

/** Metadata as sent, or null when absent. Throws 400 param `metadata` when it exceeds the limits. */
export function readMetadata(value: unknown): Metadata | null {
  if (!isSent(value)) return null;
  if (!isJsonObject(value))
    throw invalidInput("metadata", `metadata must be an object of strings, not ${describe(value)}.`);
  const pairs = Object.entries(value);
  if (pairs.length > METADATA_PAIRS_MAX) {
    throw invalidInput("metadata", `metadata may hold at most ${METADATA_PAIRS_MAX} pairs, not ${pairs.length}.`);
  }
  for (const [key, label] of pairs) {
    if (countCharacters(key) > METADATA_KEY_CHARACTERS_MAX) {
      throw invalidInput(
        "metadata",
        `A key of metadata may have at most ${METADATA_KEY_CHARACTERS_MAX} characters, not ${countCharacters(key)}.`,
      );
    }
    if (typeof label !== "string") {
      throw invalidInput("metadata", `metadata[${JSON.stringify(key)}] must be a string, not ${describe(label)}.`);
    }
    if (countCharacters(label) > METADATA_VALUE_CHARACTERS_MAX) {
      throw invalidInput(
        "metadata",
        `metadata[${JSON.stringify(key)}] may have at most ${METADATA_VALUE_CHARACTERS_MAX} characters, not ${countCharacters(label)}.`,
      );
    }
  }
  return value as Metadata;
}
