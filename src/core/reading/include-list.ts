// Reads `include`, in a body and in a query. @spec endpoints/post-responses
import { invalidInput } from "../../contract/errors.ts";
import { ENCRYPTED_CONTENT, INCLUDE_VALUES } from "../../contract/include.ts";
import type { Part } from "../response/request.ts";
import { isSent } from "./field.ts";
import { describe } from "./json-value.ts";

/**
 * The `include` of a create: only `reasoning.encrypted_content` is available, anything else is 400 param `include`. The
 * message about logprobs names the model, because they depend on the model. Whether encrypted content is included.
 */
export function readIncludeOfCreate(value: unknown): Part<boolean> {
  if (!isSent(value)) return { value: false };
  if (!Array.isArray(value)) return fault(`include must be an array, not ${describe(value)}.`);
  for (const [index, entry] of value.entries()) {
    const known = INCLUDE_VALUES.find((candidate) => candidate === entry);
    if (known === undefined) return fault(unknownMessage(entry, `include[${index}]`));
    if (known === "message.output_text.logprobs") {
      return {
        faultFor: (model) =>
          invalidInput("include", `${known} is not available: the model ${model} produces no logprobs.`),
      };
    }
    if (known !== ENCRYPTED_CONTENT) {
      return fault(`${known} is not available here: only ${ENCRYPTED_CONTENT} can be included.`);
    }
  }
  return { value: value.length > 0 };
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

function fault(message: string): Part<boolean> {
  return { faultFor: () => invalidInput("include", message) };
}

function unknownMessage(value: unknown, path: string): string {
  return `${path} must be one of ${INCLUDE_VALUES.join(", ")}, not ${describe(value)}.`;
}
