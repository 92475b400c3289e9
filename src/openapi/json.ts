// JSON Schema as the OpenAPI documents hold it: plain data.

export type JsonSchema = { readonly [keyword: string]: unknown };

/** A reference to a schema component. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The `content` of a JSON body or response. */
export function jsonContent(schema: JsonSchema): JsonSchema {
  return { "application/json": { schema } };
}

/** A schema without typebox's hidden properties. */
export function toPlain(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema;
}
