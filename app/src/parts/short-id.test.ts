import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOfId } from "./short-id.ts";

test("an id has a middle that is left out; a text of another form has none", () => {
  const id = "resp_3f9a0c11112222333344445555c21b00".slice(0, 37).padEnd(37, "0");
  const parts = partsOfId(id);
  assert.equal(parts?.join(""), id);
  assert.deepEqual([parts?.[0], parts?.[2]], ["resp_3f9a0c", id.slice(-4)]);
  for (const text of ["first top-up", "resp_short", ""]) assert.equal(partsOfId(text), null);
});
