import assert from "node:assert/strict";
import { test } from "node:test";
import { modelOf } from "../../../test/support/responses.ts";
import { createCatalog } from "./catalog.ts";

const ids = ["a/x", "b/x", "x/y", "c/x/y", "d/a/x"];
const catalog = createCatalog(ids.map((id) => modelOf({ id })));

for (const [name, id] of [
  ["a/x", "a/x"],
  ["b/x", "b/x"],
  ["x", "a/x"],
  ["y", "x/y"],
  // The bare form of another model never hides a full id.
  ["x/y", "x/y"],
  ["c/x/y", "c/x/y"],
  ["", undefined],
  ["A/X", undefined],
  ["a/", undefined],
  ["__proto__", undefined],
] as const) {
  test(`"${name}" is ${id ?? "no model"}`, () => assert.equal(catalog.find(name)?.id, id));
}

test("the models keep their order", () => {
  assert.deepEqual(
    catalog.models.map((model) => model.id),
    ids,
  );
});
