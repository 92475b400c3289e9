// Adapts the JSON Schema of a tool's parameters to a wire. @spec resources/tool
import type { JsonObject } from "../../base/json.ts";

/** Keywords that combine schemas. */
export const COMPOSITION_KEYWORDS: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf"]);

/** Parameters with `type` and `properties`, which some wires require; the meaning is the same. */
export function completeParameters(parameters: JsonObject | null): JsonObject {
  return { type: "object", ...parameters, properties: parameters?.properties ?? {} };
}

/** A schema without these keywords at its root, for wires that reject them there. Its description states them instead. */
export function describeRootKeywords(schema: JsonObject, keywords: ReadonlySet<string>): JsonObject {
  const entries = Object.entries(schema);
  const described = entries.filter(([keyword]) => keywords.has(keyword));
  if (described.length === 0) return schema;
  const kept = entries.filter(([keyword]) => !keywords.has(keyword));
  return describeKeywords(Object.fromEntries(kept), Object.fromEntries(described));
}

/** A schema with keywords that are not sent appended to its description. */
export function describeKeywords(schema: JsonObject, described: JsonObject): JsonObject {
  const words = Object.entries(described).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  if (words.length === 0) return schema;
  const own = typeof schema.description === "string" && schema.description !== "" ? [schema.description] : [];
  return { ...schema, description: [...own, `{${words.join(", ")}}`].join("\n\n") };
}
