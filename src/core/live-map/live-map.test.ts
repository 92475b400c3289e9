import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveMap } from "./live-map.ts";

test("what was set is found until it is taken, and taken once", () => {
  const live = new LiveMap<string, { readonly name: string }>();
  live.set("a", { name: "one" });
  live.set("b", { name: "two" });
  assert.deepEqual(live.get("a"), { name: "one" });
  assert.deepEqual(live.take("a"), { name: "one" });
  assert.equal(live.take("a"), undefined);
  assert.equal(live.get("a"), undefined);
  assert.equal(live.size, 1);
});

test("a key that is set again stands for its last value alone", () => {
  const live = new LiveMap<number, { readonly name: string }>();
  live.set(1, { name: "first" });
  live.set(1, { name: "last" });
  assert.deepEqual(live.values(), [{ name: "last" }]);
  assert.equal(live.size, 1);
});

test("all are seen in the order in which they came, and can be taken at once", () => {
  const live = new LiveMap<number, { readonly name: string }>();
  for (const key of [3, 1, 2]) live.set(key, { name: String(key) });
  live.set(4, { name: "4" });
  live.take(1);
  assert.deepEqual(live.values(), [{ name: "3" }, { name: "2" }, { name: "4" }]);
  assert.deepEqual(live.takeFirst(), { name: "3" });
  assert.deepEqual(live.takeAll(), [{ name: "2" }, { name: "4" }]);
  assert.equal(live.takeFirst(), undefined);
  assert.equal(live.size, 0);
});
