import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf } from "../../../test/support/turns.ts";
import { readBearer } from "./bearer.ts";

for (const header of ["Bearer sk_1", "bearer sk_1", "BEARER sk_1", "Bearer   sk_1", " Bearer sk_1 "]) {
  test(`"${header}" presents sk_1`, () => assert.equal(readBearer([header]), "sk_1"));
}

for (const headers of [
  [],
  [""],
  ["Bearer"],
  ["Bearer "],
  ["sk_1"],
  ["Basic sk_1"],
  ["Bearer sk_1 sk_2"],
  ["Bearersk_1"],
  ["Bearer sk_1", "Bearer sk_1"],
  ["Token Bearer sk_1"],
]) {
  test(`${JSON.stringify(headers)} is a missing or malformed header: 401 invalid_api_key, param null`, () => {
    const refusal = refusalOf(() => readBearer(headers));
    assert.equal(refusal.code, "invalid_api_key");
    assert.equal(refusal.status, 401);
    assert.equal(refusal.param, null);
    assert.match(refusal.message, /missing or malformed Authorization header/i);
  });
}

test("the refusal says what the header is to hold", () => {
  assert.match(refusalOf(() => readBearer([])).message, /`Authorization: Bearer <API_KEY>`/);
  assert.match(refusalOf(() => readBearer([], "<adm_ token>")).message, /`Authorization: Bearer <adm_ token>`/);
});
