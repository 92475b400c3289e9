import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveMap } from "./live-map.ts";

test("a value is found until it is taken, and can be taken once", () => {
  const live = new LiveMap<string, { readonly name: string }>();
  live.set("a", { name: "one" });
  live.set("b", { name: "two" });
  assert.deepEqual(live.get("a"), { name: "one" });
  assert.deepEqual(live.take("a"), { name: "one" });
  assert.equal(live.take("a"), undefined);
  assert.equal(live.get("a"), undefined);
  assert.equal(live.size, 1);
});

test("setting a key again replaces its value", () => {
  const live = new LiveMap<number, { readonly name: string }>();
  live.set(1, { name: "first" });
  live.set(1, { name: "last" });
  assert.deepEqual(live.values(), [{ name: "last" }]);
  assert.equal(live.size, 1);
});

test("values keep their insertion order and can all be taken at once", () => {
  const live = new LiveMap<number, { readonly name: string }>();
  for (const key of [3, 1, 2]) live.set(key, { name: String(key) });
  live.set(4, { name: "4" });
  live.take(1);
  assert.deepEqual(live.values(), [{ name: "3" }, { name: "2" }, { name: "4" }]);
  assert.deepEqual(live.first(), { name: "3" });
  assert.deepEqual(live.takeFirst(), { name: "3" });
  assert.deepEqual(live.takeAll(), [{ name: "2" }, { name: "4" }]);
  assert.equal(live.first(), undefined);
  assert.equal(live.takeFirst(), undefined);
  assert.equal(live.size, 0);
});
