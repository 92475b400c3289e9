import assert from "node:assert/strict";
import { test } from "node:test";
import { apiErrorOf } from "../../../test/support/responses.ts";
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
  ["Bearer sk_1\u00a0"],
  ["Bearer sk_1\u00ff"],
  ["Bearer \u00a0sk_1"],
  ["\u00a0Bearer sk_1"],
  ["Bearer sk_1\u000b"],
  ["Bearer sk_1\u0000"],
]) {
  test(`${JSON.stringify(headers)} is a missing or malformed header: 401 invalid_api_key, param null`, () => {
    const rejection = apiErrorOf(() => readBearer(headers));
    assert.equal(rejection.code, "invalid_api_key");
    assert.equal(rejection.status, 401);
    assert.equal(rejection.param, null);
    assert.match(rejection.message, /^missing or malformed Authorization header/);
  });
}

test("the message says what the header must contain", () => {
  assert.match(apiErrorOf(() => readBearer([])).message, /`Authorization: Bearer <API_KEY>`/);
  assert.match(apiErrorOf(() => readBearer([], "<adm_ token>")).message, /`Authorization: Bearer <adm_ token>`/);
});

for (const sent of ["sk_\u00e2\u0080\u00a6", "sk_...", "<API_KEY>", "$API_KEY", "${API_KEY}", "adm_..."]) {
  test(`the placeholder ${JSON.stringify(sent)} is named as one`, () => {
    const { code, message } = apiErrorOf(() => readBearer([`Bearer ${sent}`]));
    assert.equal(code, "invalid_api_key");
    assert.match(message, /^missing or malformed Authorization header: it has a placeholder where <API_KEY> belongs/);
  });
}
