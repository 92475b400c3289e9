import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { StoreError } from "../../ports/store/store.ts";
import { causeOf, toApiError } from "./envelope.ts";

for (const [kind, status, code] of [
  ["unavailable", 503, "database_unavailable"],
  ["gone", 503, "database_unavailable"],
  ["failed", 500, "database_error"],
] as const) {
  test(`a store error of the kind ${kind} is ${status} ${code}, and its cause is kept for the log`, () => {
    const error = new StoreError(kind, "the disk");
    const shown = toApiError(error);
    assert.deepEqual([shown.status, shown.code, shown.cause], [status, code, error]);
    assert.doesNotMatch(shown.message, /disk/);
  });
}

test("any other error is a 500 without its details; an ApiError is unchanged", () => {
  for (const thrown of [new Error("secret"), "secret", undefined]) {
    const { status, code, message } = toApiError(thrown);
    assert.deepEqual([status, code], [500, "internal_server_error"]);
    assert.doesNotMatch(message, /secret/);
  }
  const error = new ApiError("resource_not_found", "No such thing.");
  assert.equal(toApiError(error), error);
  assert.deepEqual([causeOf(error), causeOf(undefined)], [undefined, "undefined"]);
});
