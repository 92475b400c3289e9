import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOfHeader, joinHeaders } from "./extra-headers.ts";

test("a header of the operator replaces ours of the same name, in any letter case", () => {
  const ours = ["accept", "x", "authorization", "Bearer k", "x", "authorization"];
  assert.deepEqual(joinHeaders(ours, { Authorization: "Custom", "x-team": "a" }), [
    "accept",
    "x",
    "x",
    "authorization",
    "Authorization",
    "Custom",
    "x-team",
    "a",
  ]);
  assert.deepEqual(joinHeaders(ours, {}), ours);
});

test("headers that frame a request and invalid values are rejected", () => {
  assert.equal(faultOfHeader("X-Team", "a b"), null);
  assert.match(faultOfHeader("Host", "a") ?? "", /set by the service/);
  assert.match(faultOfHeader("Content-Length", "1") ?? "", /set by the service/);
  assert.match(faultOfHeader("a b", "1") ?? "", /name/);
  for (const value of ["a\nb", " a", "a ", "é", ""]) assert.match(faultOfHeader("x", value) ?? "", /characters/);
});
