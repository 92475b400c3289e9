import assert from "node:assert/strict";
import { test } from "node:test";
import { ID_PREFIXES, type IdKind, isIdOf } from "../contract/ids.ts";
import { createIds, mintAccountId } from "./ids.ts";

test("every kind of id is its prefix and 32 hexadecimal digits", () => {
  const ids = createIds();
  for (const [kind, prefix] of Object.entries(ID_PREFIXES)) {
    const id: string = ids.mint(kind as "response");
    assert.ok(isIdOf(kind as IdKind, id));
    assert.match(id, new RegExp(`^${prefix}[0-9a-f]{32}$`));
  }
  assert.match(ids.mintCallId(), /^call_[0-9a-f]{32}$/);
  assert.match(ids.mintRequestId(), /^req_[0-9a-f]{32}$/);
  assert.match(mintAccountId("organization"), /^org_[0-9a-f]{32}$/);
});

test("ids never repeat, and an id of a later millisecond sorts after earlier ones", async () => {
  const ids = createIds();
  const first = Array.from({ length: 20_000 }, () => ids.mint("response"));
  assert.equal(new Set(first).size, first.length);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const later = ids.mint("response");
  assert.ok(first.every((id) => id < later));
});
