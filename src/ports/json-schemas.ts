// Checks a model's answer against the schema that a client asked for.

export interface JsonSchemas {
  /** Whether a text is JSON that satisfies a schema. A schema that can't be judged accepts what is JSON. */
  accepts(schema: Readonly<Record<string, unknown>>, text: string): boolean;
}
