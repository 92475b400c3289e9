import assert from "node:assert/strict";
import test from "node:test";
import { createKeyCheck } from "./key-checks.ts";
import { HOST_SERVICES } from "../../test/support/host-services.ts";
import { familyOf } from "../../test/support/family-of.ts";
import { FAMILIES } from "./families.ts";

const check = (type: string, baseUrl: string | null, apiKey: string | null = "k-1") =>
  createKeyCheck({ name: "it", family: familyOf(type), baseUrl, apiKey }, HOST_SERVICES);

test("each family is asked for its models, with its key where the family wants it", async () => {
  const rows: [string, string | null, string, string[]][] = [
    ["anthropic", null, "https://api.anthropic.com/v1/models", ["anthropic-version", "2026-10-21", "x-api-key", "k-1"]],
    ["anthropic", "http://h/p/v1", "http://h/p/v1/models", ["anthropic-version", "2026-10-21", "x-api-key", "k-1"]],
    ["gemini", null, "https://generativelanguage.googleapis.com/v1beta/models", ["x-goog-api-key", "k-1"]],
    ["openai", null, "https://api.openai.com/v1/models", ["authorization", "Bearer k-1"]],
    ["openai", "http://h/v1/?api-version=2", "http://h/v1/models?api-version=2", ["authorization", "Bearer k-1"]],
    ["openai-compatible", "http://h:1/v1/", "http://h:1/v1/models", ["authorization", "Bearer k-1"]],
  ];
  for (const [type, baseUrl, url, headers] of rows) {
    const made = await check(type, baseUrl);
    assert.deepEqual([made?.url.href, made?.headers], [url, headers]);
  }
  assert.deepEqual((await check("openai-compatible", "http://h/v1", null))?.headers, []);
  assert.equal(await check("simulated", null), null);
});

test("a key is rejected by 401 and 403, and by Gemini with an invalid argument", async () => {
  for (const { type } of FAMILIES) {
    const made = await check(type, "http://h");
    if (made === null) continue;
    for (const status of [401, 403]) assert.ok(made.rejectsKey(status, ""));
    for (const status of [200, 400, 404, 429, 500]) assert.ok(!made.rejectsKey(status, "{}"));
  }
  assert.ok((await check("gemini", null))?.rejectsKey(400, '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}'));
});
