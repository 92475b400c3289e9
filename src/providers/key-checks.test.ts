import assert from "node:assert/strict";
import test from "node:test";
import { makeKeyCheck } from "./key-checks.ts";
import type { ProviderType } from "./registry.ts";

const check = (type: ProviderType, baseUrl: string | null, apiKey: string | null = "k-1") =>
  makeKeyCheck({ name: "it", type, baseUrl, apiKey });

test("each family is asked for its models, with its key where the family wants it", () => {
  const rows: [ProviderType, string | null, string, Record<string, string>][] = [
    [
      "anthropic",
      null,
      "https://api.anthropic.com/v1/models",
      { "anthropic-version": "2026-10-21", "x-api-key": "k-1" },
    ],
    ["anthropic", "http://h/p/v1", "http://h/p/v1/models", { "anthropic-version": "2026-10-21", "x-api-key": "k-1" }],
    ["gemini", null, "https://generativelanguage.googleapis.com/v1beta/models", { "x-goog-api-key": "k-1" }],
    ["openai", null, "https://api.openai.com/v1/models", { authorization: "Bearer k-1" }],
    ["openai", "http://h/v1/?api-version=2", "http://h/v1/models?api-version=2", { authorization: "Bearer k-1" }],
    ["openai-compatible", "http://h:1/v1/", "http://h:1/v1/models", { authorization: "Bearer k-1" }],
  ];
  for (const [type, baseUrl, url, headers] of rows) {
    const made = check(type, baseUrl);
    assert.deepEqual([made?.url.href, made?.headers], [url, headers]);
  }
  assert.deepEqual(check("openai-compatible", "http://h/v1", null)?.headers, {});
  assert.equal(check("simulated", null), null);
});

test("a key is refused by 401 and 403, and by Gemini with an invalid argument", () => {
  for (const type of ["anthropic", "gemini", "openai", "openai-compatible", "simulated"] as const) {
    const made = check(type, "http://h");
    if (made === null) continue;
    for (const status of [401, 403]) assert.ok(made.refusesKey(status, ""));
    for (const status of [200, 400, 404, 429, 500]) assert.ok(!made.refusesKey(status, "{}"));
  }
  assert.ok(check("gemini", null)?.refusesKey(400, '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}'));
});
