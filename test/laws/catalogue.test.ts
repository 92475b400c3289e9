// Law 9: the catalogue is the document: codes, limits, routes, failure codes, include values, fields and types, both ways.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TObject, TSchema } from "typebox";
import { Check } from "typebox/value";
import { ERROR_CATALOGUE, ERROR_TYPES, type ErrorCode, errorType } from "../../src/contract/errors.ts";
import { EVENTS, RESPONSE_UNRESOLVED } from "../../src/contract/events.ts";
import { FAILURE_CODES } from "../../src/contract/failures.ts";
import { ID_PREFIXES } from "../../src/contract/ids.ts";
import { INCLUDE_VALUES } from "../../src/contract/include.ts";
import * as items from "../../src/contract/items.ts";
import * as limits from "../../src/contract/limits.ts";
import { CREATE_RESPONSE_FIELDS, InputItem } from "../../src/contract/requests.ts";
import { Conversation, ItemList, Metadata, Model, ResponseObject, Usage } from "../../src/contract/resources.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import * as settings from "../../src/contract/settings.ts";
import { RESPONSE_STATUSES, TERMINAL_STATUSES } from "../../src/contract/statuses.ts";
import { ALLOWED_TOOLS_MODES, FunctionTool, TOOL_CHOICE_WORDS } from "../../src/contract/tools.ts";
import { createLadder } from "../../src/core/turn/ladder.ts";
import { linesOf, namesIn, quotedIn, type Row, tableOf } from "../support/document.ts";
import { countingMint } from "../support/turns.ts";

/** Equal as sets: what one side has and the other lacks fails, either way. */
function assertSame(code: Iterable<string>, document: Iterable<string>): void {
  assert.deepEqual([...new Set(code)].sort(), [...new Set(document)].sort());
}
const fieldsOf = (shape: TSchema) => Object.keys((shape as TObject).properties);
const requiredOf = (shape: TSchema) => (shape as TObject).required ?? [];
const cell = (row: Row, column: string) => row[column] ?? "";
const sentence = (chapter: string, start: string) =>
  linesOf(chapter).find((line) => line.startsWith(start)) ?? assert.fail(`${chapter}: no line "${start}"`);

// Errors
const errorRows = () => tableOf("HTTP error codes", ["Status", "code", "Retry-After", "Meaning"]);

test("every code of an HTTP error stands in the catalogue and no other, with its status", () => {
  const document = errorRows().map((row) => `${cell(row, "code")} ${cell(row, "Status")}`);
  const code = Object.entries(ERROR_CATALOGUE).map(([name, { status }]) => `${name} ${status}`);
  assertSame(code, document);
  assert.equal(new Set(document).size, document.length);
});

/** Codes that carry Retry-After though the table says n/a, each with where that is settled. */
const RETRY_AFTER_SETTLED: ReadonlySet<string> = new Set(["idempotency_in_progress"]); // docs/wire.md, rule 10

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

test("every field of a create is read or refused by name, and no other", () => {
  // Refused whatever they hold, so that they have no shape; and the one that no model takes.
  const refused = ["reasoning", "starting_after", "top_logprobs"];
  assertSame(
    [...Object.keys(CREATE_RESPONSE_FIELDS), ...refused],
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

test("every limit of the document stands in the contract under its name", () => {
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

test("every number of the contract that claims the limits chapter stands in its table", () => {
  const own = new Set(LIMITS.flatMap(([, , numbers]) => numbers));
  const claimed = Object.entries(limits).filter(
    ([name, value]) => typeof value === "number" && !name.endsWith("_SHARE"),
  );
  // Settled in docs/wire.md and docs/architecture.md instead.
  const elsewhere = new Set([
    "JSON_DEPTH_MAX",
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

// Resources
const responseRows = () => tableOf("Response object", ["Field", "Type", "Notes"]);

test("the response object has the fields of its table, and no other", () => {
  assertSame(
    fieldsOf(ResponseObject),
    responseRows().flatMap((row) => namesIn(cell(row, "Field"))),
  );
});

test("every field of the response object is always present but usage and the extensions", () => {
  const may = responseRows()
    .filter((row) => cell(row, "Notes").includes("ABSENT") || cell(row, "Field").startsWith("svc:"))
    .flatMap((row) => namesIn(cell(row, "Field")));
  assertSame(
    requiredOf(ResponseObject),
    fieldsOf(ResponseObject).filter((field) => !may.includes(field)),
  );
});

test("a field of the response object may be null where its table says so", () => {
  for (const row of responseRows()) {
    const type = cell(row, "Type");
    for (const field of namesIn(cell(row, "Field"))) {
      const shape = (ResponseObject as TObject).properties[field] ?? assert.fail(field);
      if (type !== "extension") assert.equal(Check(shape, null), type.includes("or null"), field);
      if (type === "string") assert.equal(Check(shape, 1), false, field);
      if (type === "number") assert.deepEqual([Check(shape, 0.5), Check(shape, "1")], [true, false], field);
      if (type.startsWith("integer")) assert.deepEqual([Check(shape, 1), Check(shape, 0.5)], [true, false], field);
      if (type === "boolean") assert.deepEqual([Check(shape, true), Check(shape, 1)], [true, false], field);
      if (type.startsWith("array")) assert.deepEqual([Check(shape, []), Check(shape, {})], [true, false], field);
    }
  }
});

test("the words of a response's fields are those of the document", () => {
  const notes = (field: string) =>
    cell(responseRows().find((row) => cell(row, "Field") === field) ?? assert.fail(field), "Notes");
  assertSame(RESPONSE_STATUSES, quotedIn(notes("status")));
  assert.match(notes("reasoning"), /`effort` in none, low, medium, high, xhigh; `summary` in concise, detailed, auto/);
  assertSame(settings.REASONING_EFFORTS, ["none", "low", "medium", "high", "xhigh"]);
  assertSame(settings.REASONING_SUMMARIES, ["concise", "detailed", "auto"]);
  assert.match(notes("text"), /`verbosity` \(low, medium, high\)/);
  assertSame(settings.VERBOSITIES, ["low", "medium", "high"]);
  assertSame(settings.TRUNCATIONS, quotedIn(notes("truncation")));
});

test("usage has the members of its table", () => {
  const members = Object.entries((Usage as TObject).properties).flatMap(([name, shape]) =>
    shape && "properties" in shape ? fieldsOf(shape).map((inner) => `${name}.${inner}`) : [name],
  );
  assertSame(
    members,
    tableOf("usage", ["Field", "Type"]).map((row) => cell(row, "Field")),
  );
});

for (const [name, chapter, columns, shape] of [
  ["a conversation", "Conversation", ["Field", "Type", "Notes"], Conversation],
  ["an item list", "Conversation item list", ["Field", "Type", "Notes"], ItemList],
  ["a tool", "Tool (function)", ["Field", "Type"], FunctionTool],
] as const) {
  test(`${name} has the fields of its table`, () => {
    assertSame(
      fieldsOf(shape),
      tableOf(chapter, columns).flatMap((row) => namesIn(cell(row, "Field"))),
    );
  });
}

test("a model has the fields that the document gives it", () => {
  const [, fields = ""] = /^`\{(.*?)\}`/.exec(sentence("Model", "`{")) ?? [];
  assertSame(
    fieldsOf(Model),
    namesIn(fields).map((field) => field.replace(/[: (].*$/, "")),
  );
});

test("tool_choice has the words and modes of the document", () => {
  const rule = sentence("Tool (function)", "`tool_choice`");
  assert.match(rule, /string `none`, `auto` or `required`;.*`mode` \(`auto` or `required`, optional\)/);
  assertSame(TOOL_CHOICE_WORDS, ["none", "auto", "required"]);
  assertSame(ALLOWED_TOOLS_MODES, ["auto", "required"]);
});

test("the id prefixes that the document names are ours", () => {
  const [line = ""] = linesOf("Identifiers").filter((text) => text.startsWith("Opaque strings"));
  const named = quotedIn(line)
    .filter((word) => word.endsWith("..."))
    .map((word) => word.replace("...", ""));
  assert.deepEqual(named, [
    ID_PREFIXES.response,
    ID_PREFIXES.conversation,
    ID_PREFIXES.message,
    ID_PREFIXES.function_call,
  ]);
});

// Items and parts
/** The `type` of every shape of a union. */
const typesOf = (shape: TSchema): string[] =>
  (shape as unknown as { anyOf: TObject[] }).anyOf.map(
    (member) => (member.properties["type"] as unknown as { const: string }).const,
  );

test("output items are of the types of the document", () => {
  const rows = tableOf("Output items (discriminated by `type`)", ["type", "Fields"]);
  assertSame(
    typesOf(items.OutputItem),
    rows.map((row) => cell(row, "type")),
  );
  const messageFields = cell(rows.find((row) => cell(row, "type") === "message") ?? {}, "Fields");
  for (const words of [items.MESSAGE_ROLES, items.ITEM_STATUSES, items.MESSAGE_PHASES]) {
    for (const word of words) assert.match(messageFields, new RegExp(`\\b${word}\\b`));
  }
  for (const field of fieldsOf(items.Message))
    if (field !== "type") assert.match(messageFields, new RegExp(`\\b${field}\\b`));
  const callFields = cell(rows.find((row) => cell(row, "type") === "function_call") ?? {}, "Fields");
  for (const field of fieldsOf(items.FunctionCall))
    if (field !== "type") assert.match(callFields, new RegExp(`\\b${field}\\b`));
});

test("input items are of the types of the document", () => {
  assertSame(
    (InputItem as unknown as { anyOf: TObject[] }).anyOf.map(
      (member) => (member.properties["type"] as unknown as { const: string }).const,
    ),
    tableOf("Input items", ["Item", "Shape"]).map((row) => cell(row, "Item")),
  );
});

test("content parts are of the types of the document; each is text, or refused by its name", () => {
  const rows = tableOf("Content parts (discriminated by `type`)", ["type", "Fields"]);
  assertSame(
    [...items.TEXT_PART_TYPES, ...items.REFUSED_PART_TYPES],
    rows.map((row) => cell(row, "type")),
  );
  const refusing = cell(
    tableOf("POST /responses", ["Input", "Result"]).find((row) => cell(row, "Input") === "multi-part user content") ??
      {},
    "Result",
  );
  for (const type of items.TEXT_PART_TYPES) assert.ok(refusing.indexOf(type) < refusing.indexOf("joined"), type);
  for (const type of items.REFUSED_PART_TYPES) assert.ok(refusing.lastIndexOf(type) > refusing.indexOf("joined"), type);
  assertSame(items.REFUSED_PART_TYPES, [
    ...namesIn(
      /input_image[\w, ]*refusal/.exec(sentence("POST /conversations/{conversation_id}/items", "Body"))?.[0] ?? "",
    ),
  ]);
});

// Settings
test("each group of models accepts what its row says", () => {
  const rows = tableOf("Model settings", ["Group", "Models", "Accepted settings"]);
  assertSame(
    Object.keys(settings.MODEL_GROUPS),
    rows.map((row) => cell(row, "Group")),
  );
  for (const row of rows) {
    const accepted = cell(row, "Accepted settings").replaceAll(/ \([^)]*\)/g, "");
    assertSame(settings.MODEL_GROUPS[cell(row, "Group") as settings.ModelGroup], namesIn(accepted));
  }
  const b = cell(rows[1] ?? {}, "Accepted settings");
  assert.match(b, /temperature \(0 to 2\), top_p \(0 to 1\)/);
  assert.deepEqual(settings.SETTING_RANGES.temperature, { minimum: 0, maximum: 2 });
  assert.deepEqual(settings.SETTING_RANGES.top_p, { minimum: 0, maximum: 1 });
});

// Events
test("a plain text response climbs the ladder of the document, event by event", () => {
  const sent: string[] = ["response.created", "response.in_progress"];
  const ladder = createLadder(countingMint(), Infinity, (event) => sent.push(event.type));
  ladder.climb({ type: "text", text: "Hi" });
  ladder.close("completed");
  sent.push("response.completed");
  const document = tableOf("Events", ["#", "Event"]).map((row) => cell(row, "Event").replace(/ .*$/, ""));
  assert.deepEqual(sent, document);
  for (const event of document) assert.ok(event in EVENTS, event);
});

test("the terminal events and the error event's code are those of the document", () => {
  const terminal = quotedIn(sentence("Events", "Terminal events:").split("Terminal events carry")[0] ?? "").filter(
    (word) => word === "error" || /^response\.\w+$/.test(word),
  );
  assertSame(terminal, ["response.completed", "response.failed", "response.incomplete", "error"]);
  for (const event of terminal) assert.ok(event in EVENTS, event);
  assert.ok(quotedIn(sentence("Events", "Error event code:")).includes(RESPONSE_UNRESOLVED));
});

test("no event is sent that the service says it never sends", () => {
  for (const event of Object.keys(EVENTS)) assert.doesNotMatch(event, /reasoning|svc:|cancelled|audio|web_search/);
});

test("every terminal status stands in the transitions", () => {
  const targets = tableOf("States and transitions", ["From", "Trigger", "Condition", "To", "Also"]).map((row) =>
    cell(row, "To"),
  );
  for (const status of TERMINAL_STATUSES) assert.ok(targets.includes(status), status);
});

test("the law can fail: a table that is not there is told", () => {
  assert.throws(() => tableOf("Limits", ["Constant", "Number"]), /no table/);
  assert.throws(() => tableOf("No such chapter", ["x"]), /has a chapter/);
  assert.throws(() => assertSame(["a"], ["a", "b"]));
  assert.throws(() => assertSame(["a", "b"], ["a"]));
});
