import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput } from "../../../test/support/responses.ts";
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
  test(`limit=${limit} is outside 1..500 and is rejected`, () => {
    assertInvalidInput(() => read({ limit }), "limit", "1 to 500");
  });
}

for (const order of ["ASC", "", "up"]) {
  test(`order=${order} is rejected`, () => assertInvalidInput(() => read({ order }), "order", "asc or desc"));
}

test("an unknown include value is rejected", () => assertInvalidInput(() => read({ include: ["x"] }), "include"));

test("the message of a rejected limit or order repeats its value", () => {
  assertInvalidInput(() => read({ limit: "501" }), "limit", /^limit must be an integer from 1 to 500, not "501"\.$/);
  assertInvalidInput(() => read({ limit: "1.5" }), "limit", 'not "1.5"');
  assertInvalidInput(() => read({ order: "up" }), "order", /^order must be asc or desc, not "up"\.$/);
});
