// Validates a model's output against the JSON schema that the client requested.

export interface JsonSchemas {
  /** Whether a text is JSON that satisfies a schema. A schema that cannot be compiled accepts any JSON. */
  accepts(schema: Readonly<Record<string, unknown>>, text: string): boolean;
}
