import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../../../test/support/prompt-items.ts";
import { callIdsUpTo, createCallIds } from "./call-ids.ts";

test("valid ids are sent as they are, others as digests, and never two alike", () => {
  const long = "c".repeat(41);
  const first = createCallIds([call(long), call("a")], callIdsUpTo(40));
  assert.equal(first.get("a"), "a");
  const digest = first.get(long) ?? "";
  assert.match(digest, /^call_.{35}$/);
  const both = createCallIds([call(long), call(digest)], callIdsUpTo(40));
  assert.equal(both.get(digest), digest);
  assert.match(both.get(long) ?? "", /^call_.{35}$/);
  assert.notEqual(both.get(long), digest);
});
