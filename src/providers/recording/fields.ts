// What the fields of a JSON document hold: which texts a recording keeps, and how it replaces the others.
import type { Step } from "./json-scan.ts";

/**
 * The fields of a wire. A field is named alone or with the one around it (`error.message`). The texts of all other fields
 * are content; the names and numbers of all fields stay, except within schemas and values.
 */
export interface RecordedFields {
  /** Their texts stay if they look like words of the wire: types, enums, ids, models. */
  readonly kept: readonly string[];
  /** Names of tools. */
  readonly names: readonly string[];
  /** JSON schemas. */
  readonly schemas: readonly string[];
  /** Objects whose fields are content: the arguments of calls. */
  readonly values: readonly string[];
  /** Texts that continue the same text of an earlier event. */
  readonly deltas: readonly string[];
  /** Messages of errors. */
  readonly messages: readonly string[];
  /** Headers of the family's requests whose values stay. */
  readonly headers: readonly string[];
}

/** What becomes of a token of a document. */
export type Rule = "keep" | "text" | "name" | "number" | "message" | "pattern" | "reference";

type Place = "wire" | "schema" | "names" | "value";

/** Words of a wire, without spaces; `content_filter: SAFETY` is one too. */
const WIRE_WORD = /^[\w.:/@+=~$#-]{1,200}(?:: \w{1,60})?$/;
const FIELD_NAME = /^[\w$:.@-]{1,100}$/;

/** Keywords of schemas below which are the names of properties. */
const NAMING: ReadonlySet<Step> = new Set([
  "properties",
  "$defs",
  "definitions",
  "patternProperties",
  "dependentSchemas",
  "dependentRequired",
]);
/** Keywords with values that a schema allows. */
const ALLOWING: ReadonlySet<Step> = new Set(["enum", "const", "default", "examples", "example"]);
/** Keywords with words of JSON Schema. */
const SCHEMA_WORDS: ReadonlySet<Step> = new Set(["type", "format", "$schema", "contentEncoding", "contentMediaType"]);
const LISTS_OF_NAMES: ReadonlySet<Step> = new Set(["required", "propertyOrdering"]);

/** The rules of a document's tokens. `place` is where it begins. */
export function createRules(fields: RecordedFields, place: "wire" | "value" = "wire") {
  const sets = {
    kept: new Set(fields.kept),
    names: new Set(fields.names),
    schemas: new Set(fields.schemas),
    values: new Set(fields.values),
    deltas: new Set(fields.deltas),
    messages: new Set(fields.messages),
  };

  /** Whether the field that a path leads to is one of a set. */
  function isOne(of: keyof typeof sets, path: readonly Step[]): boolean {
    const [around, field] = [undefined, ...path.filter((step) => typeof step === "string")].slice(-2);
    return field !== undefined && (sets[of].has(field) || sets[of].has(`${around}.${field}`));
  }

  /** Where the field stands that a path leads to, and what is around it. */
  function placeOf(path: readonly Step[]): Place {
    let at: Place = place;
    for (const [index, step] of path.entries()) {
      if (typeof step === "number") continue;
      const here = path.slice(0, index + 1);
      if (at === "wire") at = isOne("schemas", here) ? "schema" : isOne("values", here) ? "value" : "wire";
      else if (at === "names") at = "schema";
      else if (at === "schema") at = NAMING.has(step) ? "names" : ALLOWING.has(step) ? "value" : "schema";
    }
    return at;
  }

  /** The rule of a schema's text. */
  function ofSchema(field: Step | undefined, text: string): Rule {
    if (field === undefined) return "text";
    if (SCHEMA_WORDS.has(field)) return WIRE_WORD.test(text) ? "keep" : "text";
    if (LISTS_OF_NAMES.has(field)) return "name";
    if (field === "pattern") return "pattern";
    return field === "$ref" ? "reference" : "text";
  }

  return {
    /** The rule of the name of a field, in the object that the path leads to. */
    ofKey(path: readonly Step[], name: string): Rule {
      const at = placeOf(path);
      if (at === "wire") return FIELD_NAME.test(name) ? "keep" : "name";
      return at === "schema" && /^[$\w-]+$/.test(name) ? "keep" : "name";
    },
    ofString(path: readonly Step[], text: string): Rule {
      const at = placeOf(path);
      const field = path.findLast((step) => typeof step === "string");
      if (at === "schema" || at === "names") return at === "names" ? "name" : ofSchema(field, text);
      if (at === "value" || field === undefined) return "text";
      if (isOne("names", path)) return "name";
      if (isOne("messages", path)) return "message";
      return isOne("kept", path) && WIRE_WORD.test(text) ? "keep" : "text";
    },
    ofNumber: (path: readonly Step[]): Rule => (placeOf(path) === "value" ? "number" : "keep"),
    /** Whether a text continues that of earlier events. */
    isDelta: (path: readonly Step[]): boolean => placeOf(path) === "wire" && isOne("deltas", path),
  };
}

/** The fields of a body of POST /v1/responses. */
export const CREATE_FIELDS: RecordedFields = {
  kept: [
    "model",
    "type",
    "role",
    "id",
    "call_id",
    "status",
    "phase",
    "truncation",
    "tool_choice",
    "include",
    "effort",
    "reasoning.summary",
    "verbosity",
    "service_tier",
    "svc:unanswered_calls",
  ],
  names: ["name"],
  schemas: ["parameters", "schema"],
  values: ["metadata"],
  deltas: [],
  messages: [],
  headers: [],
};
