import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "./registry.ts";

test("what was set is found until it is taken, and taken once", () => {
  const registry = new Registry<string, { readonly name: string }>();
  registry.set("a", { name: "one" });
  registry.set("b", { name: "two" });
  assert.deepEqual(registry.get("a"), { name: "one" });
  assert.deepEqual(registry.take("a"), { name: "one" });
  assert.equal(registry.take("a"), undefined);
  assert.equal(registry.get("a"), undefined);
  assert.equal(registry.size, 1);
});

test("a key that is set again stands for its last value alone", () => {
  const registry = new Registry<number, { readonly name: string }>();
  registry.set(1, { name: "first" });
  registry.set(1, { name: "last" });
  assert.deepEqual(registry.values(), [{ name: "last" }]);
  assert.equal(registry.size, 1);
});

test("all are seen in the order in which they came, and can be taken at once", () => {
  const registry = new Registry<number, { readonly name: string }>();
  for (const key of [3, 1, 2]) registry.set(key, { name: String(key) });
  registry.set(4, { name: "4" });
  registry.take(1);
  assert.deepEqual(registry.values(), [{ name: "3" }, { name: "2" }, { name: "4" }]);
  assert.deepEqual(registry.takeFirst(), { name: "3" });
  assert.deepEqual(registry.takeAll(), [{ name: "2" }, { name: "4" }]);
  assert.equal(registry.takeFirst(), undefined);
  assert.equal(registry.size, 0);
});
