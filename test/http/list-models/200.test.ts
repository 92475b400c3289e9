// GET /v1/models. @spec endpoints/get-models
import assert from "node:assert/strict";
import { test } from "node:test";
import { TEST_MODELS } from "../../support/service-config.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

test("the whole catalog in its order, each model in the shape of the specification, without rate limit", async () => {
  const { status, headers, json } = await service.request("GET", "/v1/models");
  assert.equal(status, 200);
  assert.deepEqual(json, {
    object: "list",
    data: TEST_MODELS.map(({ id }) => ({ id, object: "model", created: 1_700_000_000, owned_by: "tests" })),
  });
  assert.equal(
    Object.keys(headers).some((name) => name.startsWith("x-ratelimit")),
    false,
  );
});

test("unknown query parameters are ignored", async () => {
  assert.equal((await service.request("GET", "/v1/models?limit=2&order=desc")).json.data.length, TEST_MODELS.length);
});
