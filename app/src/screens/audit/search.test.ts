import assert from "node:assert/strict";
import { test } from "node:test";
import { readAuditSearch } from "./search.ts";

test("the filters of the audit log are those of its interface; others, and empty ones, are none", () => {
  const search = { action: "key.create", actor: "ada@acme.test", target: "key_1" };
  assert.deepEqual(readAuditSearch({ ...search, model: "x" }), search);
  assert.deepEqual(readAuditSearch({ action: "key.", actor: "", target: 7 }), {});
});
