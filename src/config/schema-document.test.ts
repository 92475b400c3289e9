import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Check } from "typebox/value";
import { parse } from "yaml";
import { DEFAULT_LIMITS } from "../contract/limits.ts";
import { FAMILIES } from "../providers/families.ts";
import { configFileSchema } from "./config-schema.ts";
import { AccountsFileShape } from "../contract/manage/accounts-file.ts";
import { buildAccountsSchemaDocument, buildSchemaDocument } from "./schema-document.ts";

const schema = configFileSchema(FAMILIES);

test("turngate.schema.json is what the code gives (npm run schema)", () => {
  const published = JSON.parse(readFileSync(new URL("../../turngate.schema.json", import.meta.url), "utf8"));
  assert.deepEqual(published, JSON.parse(JSON.stringify(buildSchemaDocument())));
});

test("turngate-accounts.schema.json is what the code gives (npm run schema)", () => {
  const published = readFileSync(new URL("../../turngate-accounts.schema.json", import.meta.url), "utf8");
  assert.deepEqual(JSON.parse(published), JSON.parse(JSON.stringify(buildAccountsSchemaDocument())));
});

test("docs/accounts-file.md has every key of the file, and its example is valid", () => {
  const page = readFileSync(new URL("../../docs/accounts-file.md", import.meta.url), "utf8");
  assert.deepEqual(
    listKeys(AccountsFileShape).filter((key) => !page.includes(`\`${key}\``)),
    [],
  );
  const [, example = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  assert.ok(Check(AccountsFileShape, parse(example)));
});

test("the schema names every limit, and takes its default", () => {
  assert.deepEqual(Object.keys(schema.properties.limits.properties).toSorted(), Object.keys(DEFAULT_LIMITS).toSorted());
  assert.ok(Check(schema, { limits: DEFAULT_LIMITS }));
});

test("docs/configuration.md has every setting, and every limit with its default", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const missing = listKeys(schema).filter((key) => !page.includes(`\`${key}\``) && !page.includes(`### ${key}`));
  assert.deepEqual(missing, []);
  for (const [name, value] of Object.entries(DEFAULT_LIMITS)) {
    if (typeof value === "number") assert.ok(page.includes(`| \`${name}\` | \`${value}\``), `${name}: ${value}`);
  }
});

/** Every key that a schema names, at any depth, but for the classes of requests_per_minute. */
function listKeys(described: object): readonly string[] {
  return Object.entries(described).flatMap(([name, below]) => {
    if (typeof below !== "object" || below === null || name === "requests_per_minute") return [];
    return [...(name === "properties" ? Object.keys(below) : []), ...listKeys(below)];
  });
}
