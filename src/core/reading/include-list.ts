// Reads `include`, in a body and in a query. @spec endpoints/post-responses
import { invalidInput } from "../../contract/errors.ts";
import { ENCRYPTED_CONTENT, INCLUDE_VALUES, type IncludeValue } from "../../contract/include.ts";
import { isSent } from "./field.ts";
import { describe } from "./json-value.ts";

/**
 * The `include` of a create: only `reasoning.encrypted_content` is available, anything else is 400 param `include`. The
 * message about logprobs names the model, because they depend on the model. Returns whether encrypted content is
 * included.
 */
export function readIncludeOfCreate(value: unknown, model: string): boolean {
  if (!isSent(value)) return false;
  if (!Array.isArray(value)) throw invalidInput("include", `include must be an array, not ${describe(value)}.`);
  for (const [index, entry] of value.entries()) {
    const known = knownValue(entry, `include[${index}]`);
    if (known === "message.output_text.logprobs") {
      throw invalidInput("include", `${known} is not available: the model ${model} produces no logprobs.`);
    }
    if (known !== ENCRYPTED_CONTENT) {
      throw invalidInput("include", `${known} is not available here: only ${ENCRYPTED_CONTENT} can be included.`);
    }
  }
  return value.length > 0;
}

/** The `include` of a query: unknown values are rejected, and only `reasoning.encrypted_content` adds data. */
export function readIncludeOfQuery(values: readonly string[] | undefined): boolean {
  let encrypted = false;
  for (const value of values ?? []) {
    if (knownValue(value, "include") === ENCRYPTED_CONTENT) encrypted = true;
  }
  return encrypted;
}

function knownValue(value: unknown, path: string): IncludeValue {
  const known = INCLUDE_VALUES.find((candidate) => candidate === value);
  if (known === undefined) {
    throw invalidInput("include", `${path} must be one of ${INCLUDE_VALUES.join(", ")}, not ${describe(value)}.`);
  }
  return known;
}
