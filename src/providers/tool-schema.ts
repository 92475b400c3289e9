// What wires want of the schema of a tool's parameters. @spec resources/tool-function
import type { JsonRecord } from "./json-shape.ts";

/** Keywords that choose among schemas. */
export const CHOICES: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf"]);

/** Parameters as an object with properties, which say no more than parameters of which that was not written. */
export function completeParameters(parameters: JsonRecord | null): JsonRecord {
  return { type: "object", ...parameters, properties: parameters?.properties ?? {} };
}

/** A schema without those keywords at its root, for wires that refuse them there: its description says what they did. */
export function tellRoot(schema: JsonRecord, keywords: ReadonlySet<string>): JsonRecord {
  const entries = Object.entries(schema);
  const told = entries.filter(([keyword]) => keywords.has(keyword));
  if (told.length === 0) return schema;
  const kept = entries.filter(([keyword]) => !keywords.has(keyword));
  return tellKeywords(Object.fromEntries(kept), Object.fromEntries(told));
}

/** A schema whose description says, behind its own, what keywords would that are not sent. */
export function tellKeywords(schema: JsonRecord, told: JsonRecord): JsonRecord {
  const words = Object.entries(told).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  if (words.length === 0) return schema;
  const own = typeof schema.description === "string" && schema.description !== "" ? [schema.description] : [];
  return { ...schema, description: [...own, `{${words.join(", ")}}`].join("\n\n") };
}
