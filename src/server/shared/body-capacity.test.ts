// docs/reliability.md, A-1, A-9
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { BodyCapacity, BodyReservation } from "./body-capacity.ts";
import { retryHeaders } from "./envelope.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const isOverloaded = (error: unknown) => {
  assert.ok(error instanceof ApiError);
  const headers = retryHeaders(error, { hasIdempotencyKey: false });
  assert.deepEqual(headers, ["retry-after", "1", "x-should-retry", "true"]);
  return error.code === "gateway_overloaded";
};

/** A body of an organization's only key. */
const bodyIn = (capacity: BodyCapacity, organizationId = "a") =>
  new BodyReservation(capacity, () => ({ organizationId, keyId: `key of ${organizationId}` }));

test("a body is accepted while the bodies before it leave enough capacity", () => {
  const capacity = new BodyCapacity(200 * KIB, 0);
  const [first, second] = [bodyIn(capacity), bodyIn(capacity)];
  first.reserve(150 * KIB);
  assert.throws(() => second.reserve(100 * KIB), isOverloaded);
  assert.throws(() => second.assertFits(100 * KIB), isOverloaded);
  assert.equal(capacity.bytesReserved, 150 * KIB);
  first.release();
  second.assertFits(100 * KIB);
  assert.equal(capacity.bytesReserved, 0);
  second.reserve(100 * KIB);
  assert.equal(capacity.bytesReserved, 100 * KIB);
});

test("small and large bodies do not use up each other's capacity", () => {
  const capacity = new BodyCapacity(128 * KIB, 0);
  bodyIn(capacity).reserve(128 * KIB);
  const small = [bodyIn(capacity), bodyIn(capacity), bodyIn(capacity)];
  small[0]?.reserve(64 * KIB);
  small[1]?.reserve(64 * KIB);
  assert.throws(() => small[2]?.reserve(1), isOverloaded);
});

test("a growing body reserves its current size, and is rejected when that no longer fits", () => {
  const capacity = new BodyCapacity(100 * KIB, 0);
  const body = bodyIn(capacity);
  for (const bytes of [1, 60 * KIB, 70 * KIB, 100 * KIB]) {
    body.reserve(bytes);
    assert.equal(capacity.bytesReserved, bytes);
  }
  assert.throws(() => body.reserve(101 * KIB), isOverloaded);
  body.release();
  assert.equal(capacity.bytesReserved, 0);
});

test("one key leaves room for large and for small bodies of others", () => {
  const capacity = new BodyCapacity(64 * MIB, 32 * MIB);
  for (const bytes of [MIB, 32 * KIB]) {
    const bodies = Array.from({ length: 3000 }, () => bodyIn(capacity));
    assert.throws(() => bodies.forEach((body) => body.reserve(bytes)), isOverloaded);
    for (let count = 0; count < 10; count++) bodyIn(capacity, "b").reserve(bytes);
  }
  assert.ok(capacity.bytesReserved > 90 * MIB && capacity.bytesReserved < 115 * MIB);
});

test("the largest body fits while its key has no other", () => {
  for (const [whole, largest] of [
    [64 * MIB, 32 * MIB],
    [32 * MIB, 32 * MIB],
    [MIB, 200 * MIB],
  ] as const) {
    const body = bodyIn(new BodyCapacity(whole, largest));
    for (let bytes = 0; bytes < largest; bytes += MIB) body.reserve(bytes);
    body.reserve(largest);
  }
});

test("of sixteen of the largest bodies that arrive together, some are rejected and the rest get to their end", () => {
  const capacity = new BodyCapacity(64 * MIB, 32 * MIB);
  let arriving = Array.from({ length: 16 }, () => bodyIn(capacity));
  for (let bytes = MIB; bytes <= 32 * MIB; bytes += MIB) {
    arriving = arriving.filter((body) => {
      try {
        body.reserve(bytes);
        return true;
      } catch (error) {
        assert.ok(isOverloaded(error));
        body.release();
        return false;
      }
    });
    bodyIn(capacity, "b").assertFits(MIB);
  }
  assert.equal(arriving.length, 1);
});

test("a kept part stays reserved until its promise settles, even after the request has ended", async () => {
  const capacity = new BodyCapacity(200 * KIB, 0);
  const body = bodyIn(capacity);
  body.reserve(200 * KIB);
  const { promise: end, reject } = Promise.withResolvers<never>();
  body.keepUntil(end, 80 * KIB);
  body.release();
  assert.equal(capacity.bytesReserved, 80 * KIB);
  reject(new Error("it ended badly"));
  await end.catch(() => {});
  assert.equal(capacity.bytesReserved, 0);
});

test("a small remainder is not reserved: the limit on turns covers it", () => {
  const capacity = new BodyCapacity(200 * KIB, 0);
  const body = bodyIn(capacity);
  body.reserve(200 * KIB);
  body.keepUntil(new Promise(() => {}), 64 * KIB);
  assert.equal(capacity.bytesReserved, 0);
});
