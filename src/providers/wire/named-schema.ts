// Structured output on wires that require a name for its schema.
import type { TextFormat } from "../../contract/settings.ts";
import type { JsonObject } from "../../base/json.ts";
import { createWireNames, wordRule } from "./wire-names.ts";

export interface NamedSchema {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonObject;
  readonly strict?: boolean;
}

/** Name of a schema without one. */
const DEFAULT_NAME = "response";
const NAMES = wordRule(64);

/** Encodes the format of a prompt; null for text without a schema. */
export function encodeFormat(format: TextFormat | null): NamedSchema | null {
  if (format?.type !== "json_schema") return null;
  const { name = DEFAULT_NAME, description, schema, strict } = format;
  return {
    name: createWireNames([name], NAMES).toWire(name),
    ...(description === undefined ? {} : { description }),
    schema,
    ...(strict === undefined || strict === null ? {} : { strict }),
  };
}
