// Failures that a retry repeats, on every wire: those of the operator's account or configuration, and those that the
// provider forbids to retry. docs/wire.md (Objects)
import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleHead, sampleModel } from "../../../test/support/provider-samples.ts";
import * as anthropic from "../anthropic/failures.ts";
import * as gemini from "../gemini/failures.ts";
import * as chat from "../openai-compatible/failures.ts";
import * as openai from "../openai/failures.ts";

const WIRES = { anthropic, gemini, openai, "openai-compatible": chat };
type Wire = keyof typeof WIRES;

const rejected = (wire: Wire, status: number, body: object, headers: Readonly<Record<string, string>> = {}) =>
  WIRES[wire].errorOfResponse({
    head: sampleHead({ status, headers }),
    body: JSON.stringify(body),
    model: sampleModel(),
  });
const broken = (wire: Wire, error: object) => WIRES[wire].errorInStream(sampleHead({ status: 200 }), error);

for (const wire of Object.keys(WIRES) as Wire[]) {
  test(`${wire}: a status of the operator's account or configuration lasts, any other may pass`, () => {
    for (const status of [301, 401, 402, 403, 404, 407]) {
      const failure = rejected(wire, status, {});
      assert.deepEqual([failure.code, failure.isLasting], ["provider_unavailable", true], String(status));
    }
    for (const status of [408, 429, 500, 502, 503, 504, 524, 529]) {
      assert.equal(rejected(wire, status, {}).isLasting, false, String(status));
    }
  });

  test(`${wire}: a response that forbids a retry`, () => {
    assert.equal(rejected(wire, 503, {}, { "x-should-retry": "false" }).isLasting, true);
    assert.equal(rejected(wire, 503, {}, { "x-should-retry": "true" }).isLasting, false);
  });
}

/** An error of the operator's account as each provider words it, at a status that alone would say something else. */
const ACCOUNT_ERRORS: readonly (readonly [Wire, status: number, body: object])[] = [
  [
    "anthropic",
    400,
    { error: { type: "invalid_request_error", message: "Your credit balance is too low to access the API." } },
  ],
  ["anthropic", 429, { error: { type: "rate_limit_error", details: { error_code: "contract_spend_limit_reached" } } }],
  ["gemini", 400, { error: { status: "FAILED_PRECONDITION", message: "Billing is off." } }],
  [
    "gemini",
    400,
    {
      error: {
        status: "INVALID_ARGUMENT",
        details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
      },
    },
  ],
  ["gemini", 429, { error: { status: "RESOURCE_EXHAUSTED", message: "Your prepayment credits are depleted." } }],
  ["openai", 429, { error: { code: "insufficient_quota", message: "You exceeded your current quota." } }],
  ["openai", 429, { error: { code: "billing_hard_limit_reached", message: "m" } }],
  ["openai-compatible", 429, { error: { code: "insufficient_quota", message: "m" } }],
  ["openai-compatible", 400, { error: { code: "model_not_found", message: "m" } }],
];

test("an error of the operator's account lasts, at whatever status", () => {
  for (const [wire, status, body] of ACCOUNT_ERRORS) {
    const failure = rejected(wire, status, body);
    assert.deepEqual([failure.code, failure.isLasting], ["provider_unavailable", true], JSON.stringify(body));
  }
});

test("the same within a stream", () => {
  const rows: readonly (readonly [Wire, object])[] = [
    ["anthropic", { type: "error", error: { type: "authentication_error", message: "m" } }],
    ["anthropic", { type: "error", error: { type: "not_found_error", message: "m" } }],
    ["gemini", { error: { status: "PERMISSION_DENIED", message: "m" } }],
    ["openai", { error: { code: "insufficient_quota", message: "m" } }],
    ["openai", { error: { code: "data_residency_mismatch", message: "m" } }],
    ["openai-compatible", { error: { type: "invalid_api_key", message: "m" } }],
  ];
  for (const [wire, error] of rows) {
    const failure = broken(wire, error);
    assert.deepEqual([failure.code, failure.isLasting], ["provider_unavailable", true], JSON.stringify(error));
  }
  assert.equal(broken("openai", { error: { code: "server_error", message: "m" } }).isLasting, false);
});
