// Reads `include`, in a body and in a query. @spec endpoints/post-responses
import { invalidInput } from "../../contract/errors.ts";
import { ENCRYPTED_CONTENT, INCLUDE_VALUES } from "../../contract/include.ts";
import type { Deferred } from "../response/request.ts";
import { isSent } from "./field.ts";
import { describe } from "./json-value.ts";

const LOGPROBS = "message.output_text.logprobs";

/**
 * The `include` of a create. Throws 400 param `include` for anything but `reasoning.encrypted_content`, only that about
 * logprobs waits for the model, which it names. Whether encrypted content is included.
 */
export function readIncludeOfCreate(value: unknown): Deferred<boolean> {
  if (!isSent(value)) return { value: false };
  if (!Array.isArray(value)) throw invalidInput("include", `include must be an array, not ${describe(value)}.`);
  for (const [index, entry] of value.entries()) {
    const known = INCLUDE_VALUES.find((candidate) => candidate === entry);
    if (known === undefined) throw invalidInput("include", unknownMessage(entry, `include[${index}]`));
    if (known !== ENCRYPTED_CONTENT && known !== LOGPROBS) {
      throw invalidInput("include", `${known} is not available here: only ${ENCRYPTED_CONTENT} can be included.`);
    }
  }
  if (!value.includes(LOGPROBS)) return { value: value.length > 0 };
  return {
    faultFor: (model) =>
      invalidInput("include", `${LOGPROBS} is not available: the model ${model} produces no logprobs.`),
  };
}

/** The `include` of a query: unknown values are rejected, and only `reasoning.encrypted_content` adds data. */
export function readIncludeOfQuery(values: readonly string[] | undefined): boolean {
  let encrypted = false;
  for (const value of values ?? []) {
    if (!INCLUDE_VALUES.some((known) => known === value))
      throw invalidInput("include", unknownMessage(value, "include"));
    if (value === ENCRYPTED_CONTENT) encrypted = true;
  }
  return encrypted;
}

function unknownMessage(value: unknown, path: string): string {
  return `${path} must be one of ${INCLUDE_VALUES.join(", ")}, not ${describe(value)}.`;
}
