import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { BodyCapacity, BodyReservation } from "./body-capacity.ts";
import { retryHeaders } from "./envelope.ts";

const KIB = 1024;
const isOverloaded = (error: unknown) => {
  assert.ok(error instanceof ApiError);
  const headers = retryHeaders(error, { hasIdempotencyKey: false });
  assert.deepEqual(headers, ["retry-after", "1", "x-should-retry", "true"]);
  return error.code === "gateway_overloaded";
};

test("a body is accepted while the bodies before it leave enough capacity", () => {
  const capacity = new BodyCapacity(200 * KIB);
  const [first, second] = [new BodyReservation(capacity), new BodyReservation(capacity)];
  first.reserve(150 * KIB);
  assert.throws(() => second.reserve(100 * KIB), isOverloaded);
  assert.equal(capacity.bytesReserved, 150 * KIB);
  first.release();
  second.reserve(100 * KIB);
  assert.equal(capacity.bytesReserved, 100 * KIB);
});

test("small and large bodies do not use up each other's capacity", () => {
  const capacity = new BodyCapacity(128 * KIB);
  new BodyReservation(capacity).reserve(128 * KIB);
  const small = [new BodyReservation(capacity), new BodyReservation(capacity), new BodyReservation(capacity)];
  small[0]?.reserve(64 * KIB);
  small[1]?.reserve(64 * KIB);
  assert.throws(() => small[2]?.reserve(1), isOverloaded);
});

test("a growing body reserves its current size, and is rejected when that no longer fits", () => {
  const capacity = new BodyCapacity(100 * KIB);
  const body = new BodyReservation(capacity);
  for (const bytes of [1, 60 * KIB, 70 * KIB, 100 * KIB]) {
    body.reserve(bytes);
    assert.equal(capacity.bytesReserved, bytes);
  }
  assert.throws(() => body.reserve(101 * KIB), isOverloaded);
  body.release();
  assert.equal(capacity.bytesReserved, 0);
});

test("a kept part stays reserved until its promise settles, even after the request has ended", async () => {
  const capacity = new BodyCapacity(200 * KIB);
  const body = new BodyReservation(capacity);
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
  const capacity = new BodyCapacity(200 * KIB);
  const body = new BodyReservation(capacity);
  body.reserve(200 * KIB);
  body.keepUntil(new Promise(() => {}), 64 * KIB);
  assert.equal(capacity.bytesReserved, 0);
});
