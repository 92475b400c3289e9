// POST /v1/responses naming objects that the key cannot see. @spec errors (the uniform 404)
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile } from "../../support/service.ts";

const service = await serviceForFile();

const NOT_FOUND = { status: 404, code: "resource_not_found" };
const other = await service.newKey();
const { organizationId } = await service.newOrganization();
const stranger = await service.newKey(organizationId);
const response = await service.create({ input: "Hi" });
const conversation = await service.request("POST", "/v1/conversations");

describe("previous_response_id", () => {
  test("unknown, whatever its length", async () => {
    for (const id of ["resp_a", `resp_${"a".repeat(5000)}`]) {
      assertApiError(await service.create({ input: "Hi", previous_response_id: id }), NOT_FOUND);
      assertApiError(await service.stream({ input: "Hi", previous_response_id: id }), NOT_FOUND);
    }
  });
  test("of another key, of another organization", async () => {
    for (const { secret } of [other, stranger]) {
      const reply = await service.create({ input: "Hi", previous_response_id: response.json.id }, { key: secret });
      assertApiError(reply, NOT_FOUND);
    }
  });
  test("deleted", async () => {
    const { json } = await service.create({ input: "Hi" });
    await service.request("DELETE", `/v1/responses/${json.id}`);
    assertApiError(await service.create({ input: "Hi", previous_response_id: json.id }), NOT_FOUND);
  });
  test("of a conversation that was deleted", async () => {
    const { json } = await service.request("POST", "/v1/conversations");
    const turn = await service.create({ input: "Hi", conversation: json.id });
    const branch = await service.create({ input: "Hi", previous_response_id: turn.json.id });
    await service.request("DELETE", `/v1/conversations/${json.id}`);
    for (const { json: turned } of [turn, branch]) {
      assertApiError(await service.create({ input: "Hi", previous_response_id: turned.id }), NOT_FOUND);
    }
  });
});

describe("conversation", () => {
  test("unknown or malformed", async () => {
    for (const id of ["conv_a", "conv_", "abc", "", "resp_a", "conv_a b", "conv_ü", response.json.id]) {
      assertApiError(await service.create({ input: "Hi", conversation: id }), NOT_FOUND);
      assertApiError(await service.create({ input: "Hi", conversation: { id } }), NOT_FOUND);
    }
  });
  test("of another key, of another organization", async () => {
    for (const { secret } of [other, stranger]) {
      const reply = await service.create({ input: "Hi", conversation: conversation.json.id }, { key: secret });
      assertApiError(reply, NOT_FOUND);
    }
  });
  test("deleted", async () => {
    const { json } = await service.request("POST", "/v1/conversations");
    await service.request("DELETE", `/v1/conversations/${json.id}`);
    assertApiError(await service.create({ input: "Hi", conversation: json.id }), NOT_FOUND);
  });
});

test("every path that is not served is the same 404, whatever the method", async () => {
  const id = response.json.id;
  const rows = [
    ["POST", "/v1/responses/compact"],
    ["GET", `/v1/responses/${id}/input_items`],
    ["POST", "/v1/embeddings"],
    ["POST", "/v1/completions"],
    ["GET", "/v1/files"],
    ["GET", "/v1/models/"],
    ["GET", "/v1/models/test%2Fall"],
    ["GET", "/v1/responses"],
    ["GET", "/v1/responses/"],
    ["POST", "/v1/responses/"],
    ["POST", `/v1/responses/${id}`],
    ["POST", "/v1/responses//cancel"],
    ["GET", `/v1/responses/${id}/cancel`],
    ["PUT", `/v1/responses/${id}`],
    ["PATCH", `/v1/responses/${id}`],
    ["OPTIONS", "/v1/responses"],
    ["PUT", "/v1/conversations"],
    ["GET", "/v1/conversations"],
    ["GET", "/v1/%E0%A4%A"],
    ["GET", "/V1/models"],
    ["GET", "/v1/MODELS"],
    ["GET", "/v2/models"],
    ["GET", "/nowhere"],
  ] as const;
  const expected = (await service.request("GET", "/v1/responses/resp_unknown")).text;
  for (const [method, path] of rows) {
    const reply = await service.request(method, path);
    assertApiError(reply, NOT_FOUND);
    assert.equal(reply.text, expected, `${method} ${path}`);
  }
  const head = await service.request("HEAD", "/v1/models");
  assert.deepEqual([head.status, head.text], [404, ""]);
});

test("chat completions get a 404 in the same envelope, whose message names /v1/responses", async () => {
  const message = /^Chat completions are not served here: .*POST \/v1\/responses/;
  for (const target of ["/v1/chat/completions", "/v1/chat/completions?x=1"]) {
    assertApiError(await service.request("POST", target, { body: { model: "gpt", messages: [] } }), {
      ...NOT_FOUND,
      message,
    });
  }
  assertApiError(await service.request("POST", "/v1/chat/completions", { key: null }), {
    status: 401,
    code: "invalid_api_key",
  });
});

test("a path that a wrong base URL leads to says how to set it", async () => {
  for (const [method, target, message] of [
    ["GET", "/", /address with \/v1 at its end; \/docs/],
    ["POST", "/responses", /lacks \/v1/],
    ["GET", "/responses/resp_1?x=1", /lacks \/v1/],
    ["POST", "/chat/completions", /lacks \/v1/],
    ["POST", "/v1/v1/responses", /\/v1 twice/],
    ["GET", "/v1", /base URL: GET \/v1\/models/],
    ["GET", "/v1/", /base URL/],
  ] as const) {
    assertApiError(await service.request(method, target), { ...NOT_FOUND, message });
  }
  assertApiError(await service.request("GET", "/", { key: null }), NOT_FOUND);
  assertApiError(await service.request("GET", "/v1/v1/models", { key: null }), {
    status: 401,
    code: "invalid_api_key",
  });
});

test("a WebSocket is a path that is not served: the same 404, and 401 before it", async () => {
  const expected = (await service.request("GET", "/v1/responses/resp_unknown")).text;
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const reply = await service.request("GET", "/v1/responses", { headers });
  assertApiError(reply, NOT_FOUND);
  assert.equal(reply.text, expected);
  assertApiError(await service.request("GET", "/v1/responses", { headers, key: null }), {
    status: 401,
    code: "invalid_api_key",
    message: /^missing or malformed Authorization header/,
  });
  assert.equal((await service.request("GET", "/v1/models", { headers })).status, 200);
});
