import assert from "node:assert/strict";
import { test } from "node:test";
import { readPolicyModels } from "./policy.ts";

const KNOWN: Readonly<Record<string, string>> = { "acme/small": "acme/small", small: "acme/small" };
const read = (...names: readonly string[]) =>
  readPolicyModels(names, { find: (name) => (name in KNOWN ? ({ id: KNOWN[name] } as never) : undefined) });

test("models are named by full id or bare form, and listed once", () => {
  assert.deepEqual(read("small", "acme/small"), { ids: ["acme/small"], unknown: [] });
  assert.deepEqual(read(), { ids: [], unknown: [] });
});

test("a full id that is not in the catalog is accepted and reported", () => {
  assert.deepEqual(read("acme/small", "acme/large", "acme/a/b"), {
    ids: ["acme/small", "acme/large", "acme/a/b"],
    unknown: ["acme/large", "acme/a/b"],
  });
});

test("the beginning of full ids, with a star, is accepted", () => {
  assert.deepEqual(read("acme/*", "acme/l*"), { ids: ["acme/*", "acme/l*"], unknown: [] });
  assert.deepEqual(read("*"), { wrong: 'There is no model "*".' });
});

test("a bare form must be known", () => {
  for (const name of ["large", "", "/", "acme/", "/large", "acme/two words"]) {
    assert.deepEqual(read("acme/small", name), { wrong: `There is no model "${name}".` });
  }
});
