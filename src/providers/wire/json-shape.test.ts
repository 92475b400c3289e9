import assert from "node:assert/strict";
import { test } from "node:test";
import { readRequestId } from "./json-shape.ts";

test("a request id has printable ASCII characters alone, 200 at most", () => {
  assert.equal(readRequestId("req_1", []), "req_1");
  assert.equal(readRequestId("a\0b\ud800 ü\n", []), "ab");
  assert.equal(readRequestId("x".repeat(300), []), "x".repeat(200));
  for (const value of ["", "\0", " ", null, 7, undefined]) assert.equal(readRequestId(value, []), null);
});

test("a request id that holds a secret is none", () => {
  assert.equal(readRequestId("key-12345678", ["12345678"]), null);
  assert.equal(readRequestId("req-1", ["1"]), "req-1");
});
