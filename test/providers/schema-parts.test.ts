// A schema put together from parts means the same to a provider, as far as its keywords go.
// docs/providers/gemini.md and anthropic.md, Schemas
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExactly } from "../../src/base/exact-json.ts";
import { encodeSchema, findUnsupported } from "../../src/providers/anthropic/schema.ts";
import { limitSchema } from "../../src/providers/gemini/schema.ts";
import { danglingReferences } from "../../src/providers/wire/schema-references.ts";
import fc from "../support/fast-check.ts";
import { allows, schemasOfParts, VALUES } from "../support/schema-parts.ts";

test("Gemini is sent what the client's schema allows, no more unless its description says so", () => {
  let described = 0;
  let same = 0;
  fc.assert(
    fc.property(schemasOfParts, (schema) => {
      const limited = limitSchema(schema);
      const isWhole = !JSON.stringify(limited).includes("Must satisfy");
      if (isWhole) same++;
      else described++;
      for (const value of VALUES) {
        const isAllowed = allows(limited, value);
        if (allows(schema, value)) assert.ok(isAllowed, `${JSON.stringify(value)} is not allowed`);
        else if (isWhole) assert.ok(!isAllowed, `${JSON.stringify(value)} is allowed`);
      }
      assert.deepEqual([...danglingReferences(limited)], []);
      assertLoneReferences(limited);
    }),
    { numRuns: 200 },
  );
  assert.ok(described > 0 && same > 0, "both kinds are drawn");
});

test("Anthropic is sent what it can satisfy, no more than the client's schema allows, or nothing", () => {
  let sent = 0;
  fc.assert(
    fc.property(schemasOfParts, (schema) => {
      if (findUnsupported(schema) !== null) return;
      const encoded = encodeSchema(schema);
      const isWhole = !/\{\w+: /.test(JSON.stringify(encoded));
      const valid = VALUES.filter((value) => allows(encoded, value));
      if (isWhole) for (const value of valid) assert.ok(allows(schema, value), `${JSON.stringify(value)} is allowed`);
      if (valid.length > 0) sent++;
      else assert.ok(!VALUES.some((value) => allows(schema, value)), "nothing is allowed");
    }),
    { numRuns: 200 },
  );
  assert.ok(sent > 0, "some are sent");
});

test("any JSON sent as a schema is encoded without an error", () => {
  const keywords = "type enum properties required items anyOf oneOf allOf $ref $defs definitions description".split(
    " ",
  );
  const plain = fc.constantFrom<unknown>("object", "#", "#/allOf/0", "a", parseExactly("1e400"), null, true);
  const { schema } = fc.letrec<{ schema: object; value: unknown }>((tie) => ({
    schema: fc.record(Object.fromEntries(keywords.map((keyword) => [keyword, tie("value")])), { requiredKeys: [] }),
    value: fc.oneof(
      { maxDepth: 2 },
      plain,
      tie("schema"),
      fc.array(fc.oneof({ maxDepth: 2 }, plain, tie("schema")), { maxLength: 2 }),
    ),
  }));
  fc.assert(
    fc.property(schema, (any) => {
      encodeSchema({ ...any });
      findUnsupported({ ...any });
      limitSchema({ ...any });
    }),
    { numRuns: 300 },
  );
});

/** Beside a reference stand only keywords that begin with `$`. */
function assertLoneReferences(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if ("$ref" in schema)
    assert.deepEqual(
      Object.keys(schema).filter((keyword) => !keyword.startsWith("$")),
      [],
    );
  for (const inner of Object.values(schema)) assertLoneReferences(inner);
}
