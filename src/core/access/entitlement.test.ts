import assert from "node:assert/strict";
import { test } from "node:test";
import { permissionError, paymentError } from "./entitlement.ts";

for (const [permission, needed, isAllowed] of [
  ["all", "all", true],
  ["all", "read", true],
  ["read", "read", true],
  ["read", "all", false],
  ["none", "read", false],
  ["none", "all", false],
] as const) {
  test(`a key that may ${permission} ${isAllowed ? "passes" : "is 403"} where ${needed} is needed`, () => {
    const rejection = permissionError({ permission, isSuspended: false }, needed);
    const error = rejection === null ? null : [rejection.code, rejection.status, rejection.param];
    assert.deepEqual(error, isAllowed ? null : ["access_denied", 403, null]);
  });
}

test("a suspended organization is 403, whatever the permission", () => {
  const rejection = permissionError({ permission: "all", isSuspended: true }, "read");
  assert.ok(rejection !== null);
  assert.deepEqual([rejection.code, rejection.status], ["access_denied", 403]);
  assert.match(rejection.message, /suspended/);
});

const spender = { hasPaymentMethod: true, hasPlan: true, creditsNano: 1n, heldNano: 0n };
for (const [more, code, status, says] of [
  [{ hasPaymentMethod: false }, "payment_method_required", 402, /payment method/],
  [{ hasPaymentMethod: false, hasPlan: false, creditsNano: 0n }, "payment_method_required", 402, /payment method/],
  [{ hasPlan: false }, "insufficient_quota", 429, /no active plan/],
  [{ creditsNano: 0n }, "insufficient_quota", 429, /no credit balance/],
  [{ creditsNano: -1n }, "insufficient_quota", 429, /no credit balance/],
] as const) {
  test(`${Object.keys(more).join(", ")} missing is ${status} ${code}, saying which`, () => {
    const rejection = paymentError({ ...spender, ...more });
    assert.ok(rejection !== null);
    assert.deepEqual([rejection.code, rejection.status, rejection.param], [code, status, null]);
    assert.match(rejection.message, says);
  });
}

test("a plan, a payment method and any positive balance allow spending", () => {
  assert.equal(paymentError(spender), null);
});
