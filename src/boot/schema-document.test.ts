import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Check } from "typebox/value";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { ConfigFileSchema } from "./config-schema.ts";
import { buildSchemaDocument } from "./schema-document.ts";

test("turngate.schema.json is what the code gives (npm run schema)", () => {
  const published = JSON.parse(readFileSync(new URL("../../turngate.schema.json", import.meta.url), "utf8"));
  assert.deepEqual(published, JSON.parse(JSON.stringify(buildSchemaDocument())));
});

test("the schema names every limit, and takes its default", () => {
  assert.deepEqual(
    Object.keys(ConfigFileSchema.properties.limits.properties).toSorted(),
    Object.keys(DEFAULT_LIMITS).toSorted(),
  );
  assert.ok(Check(ConfigFileSchema, { limits: DEFAULT_LIMITS }));
});
