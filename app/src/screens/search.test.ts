import assert from "node:assert/strict";
import { test } from "node:test";
import { readSignInSearch } from "./search.ts";

test("after signing in only a path of the app follows, whatever the URL says", () => {
  const next = "/organizations/org_1/usage?by=key#chart";
  assert.deepEqual(readSignInSearch({ next, as: "operator" }), { next, as: "operator" });
  for (const foreign of [
    "//evil.test",
    "/\\evil.test",
    "/\t/evil.test",
    "/..//evil.test",
    "/./\\evil.test",
    "https://evil.test/",
    "javascript:alert(1)",
    "usage",
    "",
    7,
  ]) {
    assert.deepEqual(readSignInSearch({ next: foreign, as: "owner" }), {}, String(foreign));
  }
});
