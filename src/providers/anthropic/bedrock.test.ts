import assert from "node:assert/strict";
import { test } from "node:test";
import { HOST_SERVICES } from "../../../test/support/host-services.ts";
import { sampleHead, sampleModel } from "../../../test/support/provider-samples.ts";
import type { HostedEntry } from "../host.ts";
import { BEDROCK } from "./bedrock.ts";
import { traitsOf } from "./model-traits.ts";

const entry = (fields: Partial<HostedEntry> = {}): HostedEntry => ({
  name: "b",
  baseUrl: null,
  apiKey: "key-of-bedrock",
  hostSettings: { type: "bedrock", region: "eu-central-1" },
  ...fields,
});
const host = BEDROCK.create(entry(), HOST_SERVICES);

test("the address follows from the region, or is the configured one", () => {
  assert.equal(host.baseUrl.href, "https://bedrock-runtime.eu-central-1.amazonaws.com/");
  const own = BEDROCK.create(entry({ baseUrl: "http://127.0.0.1:8080/bedrock" }), HOST_SERVICES);
  assert.equal(own.baseUrl.href, "http://127.0.0.1:8080/bedrock");
  assert.equal(own.check.url.href, "http://127.0.0.1:8080/bedrock/async-invoke");
});

test("a key is a bearer token, and needs no library", () => {
  assert.deepEqual(host.headers, ["authorization", "Bearer key-of-bedrock"]);
  assert.equal(host.authorize, undefined);
  assert.deepEqual(BEDROCK.librariesOf(entry()), []);
  const header = entry({ apiKey: null, headers: { Authorization: "Bearer mine" } });
  assert.deepEqual(BEDROCK.librariesOf(header), []);
  assert.deepEqual(BEDROCK.librariesOf(entry({ apiKey: null })), [
    "@aws-sdk/credential-providers",
    "@smithy/signature-v4",
  ]);
});

test("ids stand encoded in the path", () => {
  const pathOf = (model: string) => host.place?.({ path: "/v1/messages", body: {}, headers: [] }, model).path;
  assert.equal(
    pathOf("eu.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream",
  );
  assert.equal(
    pathOf("arn:aws:bedrock:eu-central-1:1:inference-profile/eu.anthropic.claude-opus-5"),
    "/model/arn%3Aaws%3Abedrock%3Aeu-central-1%3A1%3Ainference-profile%2Feu.anthropic.claude-opus-5/invoke-with-response-stream",
  );
});

test("the body has version and betas, and neither model nor stream", () => {
  const request = {
    model: "m",
    max_tokens: 7,
    stream: true,
    messages: [],
    thinking: { type: "adaptive", display: "summarized", block_binding: { prefix_mismatch_behavior: "drop_block" } },
  };
  const placed = host.place?.({ path: "/", body: request, headers: ["anthropic-beta", "one,two"] }, "m");
  assert.deepEqual(placed?.headers, []);
  assert.deepEqual(placed?.body, {
    anthropic_version: "bedrock-2023-05-31",
    anthropic_beta: ["one", "two"],
    max_tokens: 7,
    messages: [],
    thinking: { type: "adaptive", display: "summarized", block_binding: { mismatch_behavior: "drop_block" } },
  });
  const budget = { type: "enabled", budget_tokens: 2000 };
  const older = host.place?.({ path: "/", body: { ...request, thinking: budget }, headers: [] }, "m");
  assert.deepEqual(older?.body, {
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 7,
    messages: [],
    thinking: budget,
  });
});

interface Row {
  readonly status: number;
  readonly type: string;
  readonly message?: string;
  readonly code: string;
  readonly isLasting?: boolean;
}

const ROWS: readonly Row[] = [
  { status: 429, type: "ThrottlingException", code: "provider_rate_limited" },
  { status: 400, type: "ThrottlingException", code: "provider_rate_limited" },
  { status: 429, type: "ModelNotReadyException", code: "provider_rate_limited" },
  { status: 403, type: "AccessDeniedException", code: "provider_unavailable", isLasting: true },
  { status: 403, type: "ExpiredTokenException", code: "provider_unavailable", isLasting: true },
  { status: 400, type: "IncompleteSignatureException", code: "provider_unavailable", isLasting: true },
  { status: 400, type: "ServiceQuotaExceededException", code: "provider_unavailable", isLasting: true },
  { status: 404, type: "ResourceNotFoundException", code: "provider_unavailable", isLasting: true },
  { status: 408, type: "ModelTimeoutException", code: "provider_unavailable" },
  { status: 424, type: "ModelErrorException", code: "provider_unavailable" },
  { status: 500, type: "InternalServerException", code: "provider_unavailable" },
  { status: 503, type: "ServiceUnavailableException", code: "provider_unavailable" },
  { status: 400, type: "ValidationException", code: "provider_client_error" },
  {
    status: 400,
    type: "ValidationException",
    message: "The provided model identifier is invalid.",
    code: "provider_unavailable",
    isLasting: true,
  },
];

function errorOf(status: number, body: object | string, headers: Record<string, string> = {}) {
  const head = { ...sampleHead({ provider: "b" }), status, headers, requestId: "amzn-1", secrets: ["key-of-bedrock"] };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return host.errorOfResponse?.({ head, body: text, model: sampleModel() });
}

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : "");

test("errors by their type and status, with the service's id of the request", () => {
  for (const { status, type, message = "Said by the service.", code, isLasting = false } of ROWS) {
    const error = errorOf(status, { message }, { "x-amzn-errortype": `${type}:http://internal.amazon.com/` });
    assert.deepEqual(
      [error?.code, error?.isLasting, error?.requestId],
      [code, isLasting, "amzn-1"],
      `${status} ${type}`,
    );
    assert.equal(error?.certainlyNotRun, status === 503);
    assert.equal(error?.message.includes("Said by"), code === "provider_client_error");
    assert.match(messageOf(error?.cause), new RegExp(`\\b${type}$`));
  }
});

test("the type may stand in the body, with its namespace, and the message in capitals", () => {
  const error = errorOf(400, { __type: "com.amazon.coral.service#ThrottlingException", Message: "Slow down" });
  assert.equal(error?.code, "provider_rate_limited");
  for (const body of ["", "<html>", "null", "[]"]) assert.equal(errorOf(403, body)?.code, "provider_unavailable");
});

test("what the model's own server says is read behind the words of Bedrock", () => {
  const message = "The model returned the following errors: Input is too long for requested model.";
  assert.equal(errorOf(400, { message }, { "x-amzn-errortype": "ValidationException" })?.isPromptTooLong, true);
  const quoted = "messages.0: Input is too long for requested model.";
  assert.equal(
    errorOf(400, { message: quoted }, { "x-amzn-errortype": "ValidationException" })?.isPromptTooLong,
    false,
  );
});

test("an error in Anthropic's own shape is left to the family", () => {
  assert.equal(errorOf(529, { type: "error", error: { type: "overloaded_error", message: "Busy" } }), null);
});

test("a rejected key is told from a permission that the check alone needs", () => {
  const { rejectsKey } = host.check;
  assert.equal(rejectsKey(403, '{"message":"The security token included in the request is invalid."}'), true);
  assert.equal(rejectsKey(401, ""), true);
  assert.equal(
    rejectsKey(403, '{"Message":"User: arn:… is not authorized to perform: bedrock:ListAsyncInvokes"}'),
    false,
  );
  assert.equal(rejectsKey(200, ""), false);
});

test("a model is known by its name within the ids of hosts", () => {
  for (const [id, name] of [
    ["anthropic.claude-opus-4-6-v1", "claude-opus-4-6"],
    ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["global.anthropic.claude-opus-5-5", "claude-opus-5-5"],
    ["arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-5-5", "claude-haiku-5-5"],
    ["claude-opus-4-5@20251101", "claude-opus-4-5"],
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
  ] as const) {
    assert.equal(traitsOf(id), traitsOf(name), id);
    assert.notEqual(traitsOf(id).thinking, "unknown");
  }
  for (const id of ["arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "myclaude-opus-5", ""]) {
    assert.equal(traitsOf(id).thinking, "unknown", id);
  }
});
