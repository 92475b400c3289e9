import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuditSearch, readSignInSearch, readUsageSearch } from "./search.ts";

test("the URL's filters are kept, and whatever is no filter is not", () => {
  const given = { by: "model", from: "2026-11-01", to: "2026-11-30" };
  assert.deepEqual(readUsageSearch({ ...given, more: "x" }), given);
  const { by, from, to } = readUsageSearch({ by: "nothing", from: 7, to: "tomorrow" });
  assert.equal(by, "day");
  // 30 days, both ends included.
  assert.equal((Date.parse(to) - Date.parse(from)) / 86_400_000, 29);
});

test("usage may be shown by hour", () => {
  assert.equal(readUsageSearch({ by: "hour" }).by, "hour");
});

test("a range never ends before it begins", () => {
  assert.equal(readUsageSearch({ from: "2026-11-30", to: "2026-11-01" }).from, "2026-11-01");
});

test("an empty filter of the audit log is none", () => {
  assert.deepEqual([readAuditSearch({ action: "" }), readAuditSearch({ action: "key." })], [{}, { action: "key." }]);
});

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
