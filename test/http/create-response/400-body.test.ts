// POST /v1/responses whose body or Idempotency-Key cannot be read. @spec endpoints/post-responses
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertApiError } from "../../support/assert-api-error.ts";
import { serviceForFile, TestService } from "../../support/service.ts";

const service = await serviceForFile();

describe("a body that cannot be read", () => {
  const bodies: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
    ["empty", "", /empty/],
    ["no JSON", "{", /JSON/],
    ["trailing garbage", "{} x", /JSON/],
    ["an array", "[]", /an array/],
    ["a string", '"a"', /object/],
    ["null", "null", /null/],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
  ];
  for (const [name, body, message] of bodies) {
    test(name, async () => {
      const reply = await service.request("POST", "/v1/responses", { body });
      assertApiError(reply, { status: 400, code: "invalid_input", message });
    });
  }

  /** A create whose tool has parameters of that many levels, three below the body itself. */
  const nested = (levels: number) =>
    `{"model":"test/all","input":"Hi","tools":[{"type":"function","name":"t","parameters":` +
    `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels)}]}`;

  test("64 levels are accepted, one more is rejected in fields that are read", async () => {
    assert.equal((await service.request("POST", "/v1/responses", { body: nested(61) })).status, 200);
    const reply = await service.request("POST", "/v1/responses", { body: nested(62) });
    assertApiError(reply, { status: 400, code: "invalid_input", param: "tools", message: /deeper than 64/ });
  });

  test("a Content-Encoding", async () => {
    const reply = await service.create({ input: "Hi" }, { headers: { "content-encoding": "gzip" } });
    assertApiError(reply, { status: 400, code: "invalid_input", message: /gzip/ });
  });

  test("one over the limit is 413", async () => {
    const small = await TestService.start({ limits: { body_bytes: 100 } });
    try {
      const body = { input: "x".repeat(100) };
      assertApiError(await small.create(body), { status: 413, code: "invalid_input", message: /100 bytes/ });
      const chunked = await small.request("POST", "/v1/responses", {
        body: JSON.stringify(body),
        headers: { "transfer-encoding": "chunked", "content-length": [] },
      });
      assertApiError(chunked, { status: 413, code: "invalid_input" });
    } finally {
      await small.close();
    }
  });
});

describe("a malformed Idempotency-Key", () => {
  for (const [name, key] of [
    ["256 bytes", "k".repeat(256)],
    ["characters beyond ASCII", "schlüssel"],
    ["a tab inside", "a\tb"],
    ["two headers", ["a", "b"]],
  ] as const) {
    test(name, async () => {
      const reply = await service.create({ input: "Hi" }, { headers: { "idempotency-key": key as string } });
      assertApiError(reply, { status: 400, code: "invalid_input", message: /Idempotency-Key/ });
    });
  }

  test("255 bytes, spaces and punctuation are well-formed; an empty one is ignored", async () => {
    for (const key of ["k".repeat(255), "a b ~!@#", ""]) {
      const reply = await service.create({ input: "Hi" }, { headers: { "idempotency-key": key } });
      assert.equal(reply.status, 200, reply.text);
    }
    const headers = { "idempotency-key": "" };
    const one = await service.create({ input: "Hi" }, { headers });
    const other = await service.create({ input: "Hi" }, { headers });
    assert.notEqual(one.json.id, other.json.id);
  });
});
