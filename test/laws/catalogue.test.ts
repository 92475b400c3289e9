// The catalogue equals the document: codes, limits, routes, failure codes, include values, fields and types, both ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { ERROR_CATALOGUE, ERROR_TYPES, type ErrorCode, errorType } from "../../src/contract/errors.ts";
import { FAILURE_CODES } from "../../src/contract/failures.ts";
import { INCLUDE_VALUES } from "../../src/contract/include.ts";
import * as limits from "../../src/contract/limits.ts";
import { CREATE_RESPONSE_FIELDS } from "../../src/contract/requests.ts";
import { Metadata } from "../../src/contract/resources.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import * as settings from "../../src/contract/settings.ts";
import { linesOf, namesIn, quotedIn, type Row, tableOf } from "../support/document.ts";

/** Asserts equality as sets, in both directions. */
function assertSame(code: Iterable<string>, document: Iterable<string>): void {
  assert.deepEqual([...new Set(code)].sort(), [...new Set(document)].sort());
}

const cell = (row: Row, column: string) => row[column] ?? "";

const sentence = (chapter: string, start: string) =>
  linesOf(chapter).find((line) => line.startsWith(start)) ?? assert.fail(`${chapter}: no line "${start}"`);

// Errors
const errorRows = () => tableOf("HTTP error codes", ["Status", "code", "Retry-After", "Meaning"]);

test("the catalogue has every code of an HTTP error and no other, with its status", () => {
  const document = errorRows().map((row) => `${cell(row, "code")} ${cell(row, "Status")}`);
  const code = Object.entries(ERROR_CATALOGUE).map(([name, { status }]) => `${name} ${status}`);
  assertSame(code, document);
  assert.equal(new Set(document).size, document.length);
});

/** Codes with Retry-After although the table says n/a, each with the place that decides it. */
const RETRY_AFTER_SETTLED: ReadonlySet<string> = new Set(["idempotency_in_progress"]); // docs/wire.md (Idempotency)

test("Retry-After is sent as the table marks it", () => {
  const rules: Record<string, string> = { yes: "always", no: "never", "n/a": "never", "when present": "when_known" };
  for (const row of errorRows()) {
    const name = cell(row, "code") as ErrorCode;
    const mark = cell(row, "Retry-After");
    assert.ok(mark in rules, `${name}: the mark ${mark}`);
    const expected = RETRY_AFTER_SETTLED.has(name) ? "always" : rules[mark];
    assert.equal(ERROR_CATALOGUE[name].retryAfter, expected, name);
  }
});

test("type follows from status as the table says, for every status of the catalogue and every other 4xx", () => {
  const types = new Set<string>();
  const typeOf = new Map<number, string>();
  let other = "";
  for (const row of tableOf("Errors", ["Status", "type"])) {
    const [type = ""] = /^\w+/.exec(cell(row, "type")) ?? [];
    types.add(type);
    if (cell(row, "Status") === "other 4xx") other = type;
    else for (const status of namesIn(cell(row, "Status"))) typeOf.set(Number(status), type);
    for (const quoted of quotedIn(cell(row, "type"))) types.add(quoted);
  }
  assertSame(ERROR_TYPES, types);
  for (const [status, type] of typeOf) assert.equal(errorType(status, "internal_server_error"), type, String(status));
  for (const { status } of Object.values(ERROR_CATALOGUE))
    assert.ok(typeOf.has(status), `${status} stands in the table`);
  for (const status of [405, 408, 413, 415, 417, 422, 431]) assert.equal(errorType(status, "invalid_input"), other);
  assert.equal(errorType(429, "insufficient_quota"), "insufficient_quota");
});

test("the failure codes are the closed set of the document", () => {
  const rows = tableOf("Failed responses (not an HTTP error)", ["code", "Meaning"]);
  assertSame(
    FAILURE_CODES,
    rows.map((row) => cell(row, "code")),
  );
});

// Routes
test("the routes served are those of the document", () => {
  const document = tableOf("What the service does", ["Route"]).flatMap((row) => {
    const [, methods = "", path = ""] = /^([A-Z, ]+) \/v1(\/.*)$/.exec(cell(row, "Route")) ?? [];
    return namesIn(methods).map((method) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`);
  });
  assertSame(
    ROUTES.map(({ method, path }) => `${method} ${path}`),
    document,
  );
});

test("every route has its section among the endpoints", () => {
  const sections = linesOf("Endpoints").flatMap((line) => /^### ([A-Z]+ \/\S+)$/.exec(line)?.[1] ?? []);
  assertSame(
    ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`),
    sections,
  );
});

test("Idempotency-Key is honoured where the document says so", () => {
  const rule = linesOf("Limits").find((line) => line.startsWith("Idempotency rules:")) ?? "";
  assert.match(rule, /Honored on POST \/responses and on creating, updating and adding items to conversations/);
  assertSame(
    ROUTES.filter(({ idempotent }) => idempotent).map(({ operation }) => operation),
    ["createResponse", "createConversation", "updateConversation", "addItems"],
  );
});

// Requests
const createRows = () => tableOf("POST /responses", ["Field", "Type and rules"]);

test("every field of a create is read or rejected by name, and no other but extensions", () => {
  // Fields without a shape, because any value is an error; and the one that no model supports.
  const rejected = ["reasoning", "starting_after", "top_logprobs"];
  const documented = Object.keys(CREATE_RESPONSE_FIELDS).filter((field) => !field.startsWith("svc:"));
  assertSame(
    [...documented, ...rejected],
    createRows().flatMap((row) => namesIn(cell(row, "Field"))),
  );
});

test("the include values are those of the document, in its order", () => {
  const row = createRows().find((candidate) => cell(candidate, "Field") === "include");
  const [values = ""] = /allowed values:[^.]*(?:\.[a-z_]+[^.]*)*?\. Only/.exec(cell(row ?? {}, "Type and rules")) ?? [];
  assert.deepEqual([...INCLUDE_VALUES], quotedIn(values));
});

test("the tiers a request may name are those of the document", () => {
  const row = createRows().find((candidate) => cell(candidate, "Field").includes("service_tier"));
  const [, tiers = ""] = /Tier request values: ([a-z, ]+)\./.exec(cell(row ?? {}, "Type and rules")) ?? [];
  assertSame(settings.SERVICE_TIERS, namesIn(tiers));
});

// Limits
/** The limits table, row by row: each number of a row under its own name in the contract. */
const LIMITS: readonly (readonly [string, string, readonly number[]])[] = [
  ["Non-streaming wait", "90 seconds", [limits.NON_STREAMING_WAIT_SECONDS]],
  ["Stream ceiling", "300 seconds", [limits.STREAM_CEILING_SECONDS]],
  ["Stream keep-alive", "every 15 seconds", [limits.STREAM_KEEP_ALIVE_SECONDS]],
  ["max_output_tokens minimum", "16", [limits.MAX_OUTPUT_TOKENS_MIN]],
  ["max_tool_calls minimum", "1", [limits.MAX_TOOL_CALLS_MIN]],
  ["safety_identifier length", "up to 64 characters", [limits.SAFETY_IDENTIFIER_CHARACTERS_MAX]],
  [
    "metadata",
    "up to 16 pairs, key up to 64 chars, value up to 512 chars",
    [limits.METADATA_PAIRS_MAX, limits.METADATA_KEY_CHARACTERS_MAX, limits.METADATA_VALUE_CHARACTERS_MAX],
  ],
  ["Items per create-conversation or add-items call", "up to 20", [limits.ITEMS_PER_CALL_MAX]],
  [
    "Item list limit",
    "1..500, default 20",
    [limits.ITEM_LIST_LIMIT_MIN, limits.ITEM_LIST_LIMIT_MAX, limits.ITEM_LIST_LIMIT_DEFAULT],
  ],
  [
    "Idempotency-Key",
    "printable ASCII (spaces included), at most 255 bytes; longer or other characters is 400; empty keys ignored",
    [limits.IDEMPOTENCY_KEY_BYTES_MAX, ERROR_CATALOGUE.invalid_input.status],
  ],
  ["Idempotency retention", "24 hours", [limits.IDEMPOTENCY_RETENTION_HOURS]],
  ["Deleted content erasure", "30 days after delete", [limits.ERASURE_AFTER_DAYS]],
  [
    "Context fit estimate",
    "four characters per token; reserve 15 percent of max_output_tokens and 2000 tokens",
    [limits.OUTPUT_RESERVE_SHARE * 100, limits.PLATFORM_RESERVE_TOKENS],
  ],
];

test("the contract has every limit of the document under its name", () => {
  const rows = tableOf("Limits", ["Constant", "Value", "Effect"]);
  assert.deepEqual(
    rows.map((row) => [cell(row, "Constant"), cell(row, "Value")]),
    LIMITS.map(([name, value]) => [name, value]),
  );
  for (const [name, value, numbers] of LIMITS) {
    assert.deepEqual(
      [...value.matchAll(/\d+/g)].map((match) => Number(match[0])),
      numbers,
      name,
    );
  }
  assert.equal(limits.CHARACTERS_PER_TOKEN, 4, "four characters per token");
});

test("every number of the contract that cites the limits chapter is in its table", () => {
  const own = new Set(LIMITS.flatMap(([, , numbers]) => numbers));
  const claimed = Object.entries(limits).filter(
    ([name, value]) => typeof value === "number" && !name.endsWith("_SHARE"),
  );
  // Settled in docs/wire.md and docs/architecture.md instead.
  const elsewhere = new Set([
    "JSON_DEPTH_MAX",
    "JSON_VALUES_MAX",
    "JSON_NUMBER_CHARACTERS_MAX",
    "RETRY_AFTER_SECONDS_MAX",
    "HEADERS_TIMEOUT_SECONDS",
    "BODY_TIMEOUT_SECONDS",
    "SLOW_READER_BYTES_MAX",
    "CHARACTERS_PER_TOKEN",
  ]);
  for (const [name, value] of claimed) if (!elsewhere.has(name)) assert.ok(own.has(value as number), name);
});

test("truncation frees a further 10 percent", () => {
  assert.match(sentence("Truncation behavior", "- `auto`"), /further 10 percent of the usable budget/);
  assert.equal(limits.TRUNCATION_HEADROOM_SHARE, 0.1);
});

test("an operator's limits start from the document's", () => {
  const { DEFAULT_LIMITS } = limits;
  assert.deepEqual(
    [
      DEFAULT_LIMITS.non_streaming_wait_seconds,
      DEFAULT_LIMITS.stream_ceiling_seconds,
      DEFAULT_LIMITS.stream_keep_alive_seconds,
      DEFAULT_LIMITS.idempotency_retention_hours,
      DEFAULT_LIMITS.erasure_after_days,
    ],
    [90, 300, 15, 24, 30],
  );
});

test("the label limits of the published shape are those of the document", () => {
  assert.match(
    linesOf("Conversation").join("\n"),
    /up to 16 pairs, keys up to 64 characters, values up to 512 characters/,
  );
  assert.equal(Check(Metadata, { ["k".repeat(64)]: "v".repeat(512) }), true);
  assert.equal(Check(Metadata, { ["k".repeat(65)]: "v" }), false);
  assert.equal(Check(Metadata, { k: "v".repeat(513) }), false);
  assert.equal(Check(Metadata, Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, ""]))), false);
});
