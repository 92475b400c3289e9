import assert from "node:assert/strict";
import { test } from "node:test";
import { readRequestId } from "./json-shape.ts";

test("a request id has printable ASCII characters alone, 200 at most", () => {
  assert.equal(readRequestId("req_1"), "req_1");
  assert.equal(readRequestId("a\0b\ud800 ü\n"), "ab");
  assert.equal(readRequestId("x".repeat(300)), "x".repeat(200));
  for (const value of ["", "\0", " ", null, 7, undefined]) assert.equal(readRequestId(value), null);
});
