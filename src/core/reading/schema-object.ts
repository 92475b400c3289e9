// A JSON schema in a request: the parameters of a tool, the schema of an answer. @spec resources/tool-function, endpoints/post-responses
import { invalidInput } from "../../contract/errors.ts";
import { paramOf } from "./field.ts";
import type { JsonObject } from "./json-body.ts";

/**
 * Gives a schema back as it was sent. Refuses 400 one that holds a number beyond what a double carries, such as 1e400: it reads as
 * infinity and would be echoed and sent on as null. `path` is what the message calls the schema.
 */
export function readSchemaObject(path: string, schema: JsonObject): JsonObject {
  if (holdsInfinity(schema)) {
    throw invalidInput(
      paramOf(path),
      `${path} holds a number larger than ${Number.MAX_VALUE}, which no number can carry.`,
    );
  }
  return schema;
}

/** Recursion is safe: a body's depth is limited before its fields are read. */
function holdsInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsInfinity);
}
