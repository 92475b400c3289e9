// JSON Schema as the OpenAPI documents hold it: plain data.

export type JsonSchema = { readonly [keyword: string]: unknown };

/** A reference to a component of `components.schemas`. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The `content` of a body or an answer that is JSON. */
export function jsonContent(schema: JsonSchema): JsonSchema {
  return { "application/json": { schema } };
}

/** A schema without the marks that typebox keeps on it. */
export function toPlain(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}
