import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefuses } from "../../../test/support/turns.ts";
import { readItemPage } from "./item-page.ts";

const read = (query: Record<string, string | string[]>) =>
  readItemPage(new Map(Object.entries(query).map(([name, value]) => [name, [value].flat()])));

test("without a query a page has 20 items, oldest first, from the start", () => {
  assert.deepEqual(read({}), { limit: 20, order: "asc", after: null, includesEncryptedContent: false });
});

test("every parameter is read", () => {
  assert.deepEqual(read({ limit: "500", order: "desc", after: "msg_1", include: ["reasoning.encrypted_content"] }), {
    limit: 500,
    order: "desc",
    after: "msg_1",
    includesEncryptedContent: true,
  });
  assert.equal(read({ limit: "1" }).limit, 1);
});

for (const limit of ["0", "501", "-1", "1.5", "1e2", "", " 5", "five", "0x10", "9".repeat(40), "+5", "٣"]) {
  test(`limit=${limit} is outside 1..500 and is refused`, () => {
    assertRefuses(() => read({ limit }), "limit", "1 to 500");
  });
}

for (const order of ["ASC", "", "up"]) {
  test(`order=${order} is refused`, () => assertRefuses(() => read({ order }), "order", "asc or desc"));
}

test("an unrecognised include is refused", () => assertRefuses(() => read({ include: ["x"] }), "include"));
