// docs/reliability.md, A-9
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { FairCapacity, type Owner, shareAlone } from "./fair-capacity.ts";

const owner = (organizationId: string, keyId = `key of ${organizationId}`): Owner => ({ organizationId, keyId });

/** Forty keys of an organization. */
const manyKeys = (name: string) => Array.from({ length: 40 }, (_, key) => owner(name, `${name} ${key}`));

/** Takes single units for each owner in turn until none has room; returns what each organization holds. */
function fill(capacity: FairCapacity, owners: readonly Owner[]): readonly number[] {
  while (owners.map((each) => capacity.tryTake(each, 1)).includes(true));
  return owners.map(({ organizationId }) => capacity.heldBy(organizationId));
}

test("an organization alone, with many keys, holds 80 %, and all of at most four", () => {
  for (let max = 0; max <= 200; max++) {
    const [held] = fill(new FairCapacity(max), manyKeys("a"));
    assert.equal(held, Math.ceil(max * 0.8), String(max));
    assert.equal(held, shareAlone(max));
  }
});

test("a key alone holds nine tenths of its organization's share, and all of at most nine", () => {
  for (const [max, held] of [
    [1, 1],
    [2, 2],
    [5, 4],
    [10, 8],
    [11, 9],
    [100, 72],
    [1000, 720],
  ] as const) {
    assert.deepEqual(fill(new FairCapacity(max), [owner("a")]), [held], String(max));
  }
});

test("organizations that want as much hold the same, and leave something for the next one", () => {
  const capacity = new FairCapacity(900);
  const held = fill(capacity, [...manyKeys("a"), ...manyKeys("b")]);
  assert.deepEqual([held[0], held[40]], [400, 399]);
  assert.ok(capacity.roomOf(owner("c")) > 50);
});

test("what a large organization gives back goes to the others first", () => {
  const capacity = new FairCapacity(100);
  assert.equal(fill(capacity, manyKeys("a"))[0], 80);
  assert.equal(fill(capacity, manyKeys("b"))[0], 16);
  capacity.giveBack(owner("a", "a 0"), 2);
  assert.deepEqual(fill(capacity, [...manyKeys("a"), ...manyKeys("b")]).slice(39, 41), [78, 18]);
});

test("an owner without room takes nothing, and may still be given more than its room", () => {
  const capacity = new FairCapacity(10);
  assert.equal(capacity.tryTake(owner("a"), 9), false);
  assert.equal(capacity.held, 0);
  capacity.take(owner("a"), 14);
  assert.deepEqual([capacity.held, capacity.roomOf(owner("b"))], [14, 0]);
  capacity.giveBack(owner("a"), 14);
  assert.deepEqual([capacity.held, capacity.heldBy("a"), capacity.roomOf(owner("b"))], [0, 0, 8]);
});

test("bytes are shared in steps", () => {
  const KIB = 1024;
  const capacity = new FairCapacity(256 * KIB, 64 * KIB);
  assert.equal(capacity.tryTake(owner("a"), 256 * KIB), true);
  const large = new FairCapacity(96 * KIB * KIB, 64 * KIB);
  const room = large.roomOf(owner("a"));
  assert.ok(Math.abs(room - 96 * KIB * KIB * 0.72) < 256 * KIB, String(room));
  assert.equal(large.tryTake(owner("a"), room + 1), false);
  assert.equal(large.tryTake(owner("a"), room), true);
});

const letter = fc.constantFrom("a", "b", "c");
const change = fc.record({
  organizationId: letter,
  key: letter,
  amount: fc.integer({ min: 0, max: 40 }),
  take: fc.boolean(),
});

test("the shares add up to no more than the whole, whoever takes and gives back what", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.array(change, { maxLength: 80 }), (max, changes) => {
      const capacity = new FairCapacity(max);
      const held = new Map<string, number>();
      for (const { organizationId, key, amount, take } of changes) {
        const who = owner(organizationId, `${organizationId}${key}`);
        const before = held.get(who.keyId) ?? 0;
        const given = take ? 0 : Math.min(before, amount);
        capacity.giveBack(who, given);
        const room = capacity.roomOf(who);
        const taken = take && capacity.tryTake(who, amount) ? amount : 0;
        assert.equal(taken > 0, take && amount > 0 && amount <= room);
        held.set(who.keyId, before - given + taken);
        const sum = [...held.values()].reduce((total, each) => total + each, 0);
        assert.equal(capacity.held, sum);
        assert.ok(sum <= max);
        const own = capacity.heldBy(organizationId);
        if (taken > 0) assert.ok(own - 1 < 4 * (max - sum + 1), `${own} of ${max}, ${max - sum} free`);
      }
    }),
    { numRuns: 300 },
  );
});
