// Catalogue equals document: the objects, items and events of the contract against the tables of the specification.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TObject, TSchema } from "typebox";
import { Check } from "typebox/value";
import { EVENTS, RESPONSE_UNRESOLVED } from "../../src/contract/events.ts";
import { ID_PREFIXES } from "../../src/contract/ids.ts";
import * as items from "../../src/contract/items.ts";
import { InputItem } from "../../src/contract/requests.ts";
import { Conversation, ItemList, Model, ResponseObject, Usage } from "../../src/contract/resources.ts";
import * as settings from "../../src/contract/settings.ts";
import { RESPONSE_STATUSES, TERMINAL_STATUSES } from "../../src/contract/statuses.ts";
import { ALLOWED_TOOLS_MODES, FunctionTool, TOOL_CHOICE_WORDS } from "../../src/contract/tools.ts";
import { createOutputBuilder } from "../../src/core/response/output-builder.ts";
import { linesOf, namesIn, quotedIn, type Row, tableOf } from "../support/document.ts";
import { countingMint } from "../support/responses.ts";

/** Asserts equality as sets, in both directions. */
function assertSame(code: Iterable<string>, document: Iterable<string>): void {
  assert.deepEqual([...new Set(code)].sort(), [...new Set(document)].sort());
}

const fieldsOf = (shape: TSchema) => Object.keys((shape as TObject).properties);

const requiredOf = (shape: TSchema) => (shape as TObject).required ?? [];

const cell = (row: Row, column: string) => row[column] ?? "";

const sentence = (chapter: string, start: string) =>
  linesOf(chapter).find((line) => line.startsWith(start)) ?? assert.fail(`${chapter}: no line "${start}"`);

// Resources
const responseRows = () => tableOf("Response object", ["Field", "Type", "Notes"]);

/** A list's placeholder for unreadable items, which a response has too, and targets: docs/wire.md (Objects). */
const RESPONSE_FIELDS_SETTLED = ["svc:unreadable", "svc:target", "svc:attempts"];

test("the response object has the fields of its table, and no other but those that are settled", () => {
  assertSame(fieldsOf(ResponseObject), [
    ...responseRows().flatMap((row) => namesIn(cell(row, "Field"))),
    ...RESPONSE_FIELDS_SETTLED,
  ]);
});

test("every field of the response object is always present but usage and the extensions", () => {
  const may = responseRows()
    .filter((row) => cell(row, "Notes").includes("ABSENT") || cell(row, "Field").startsWith("svc:"))
    .flatMap((row) => namesIn(cell(row, "Field")));
  assertSame(
    requiredOf(ResponseObject),
    fieldsOf(ResponseObject).filter((field) => !may.includes(field) && !RESPONSE_FIELDS_SETTLED.includes(field)),
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
    (InputItem as unknown as { anyOf: TObject[] }).anyOf.map(({ properties }) => {
      // Where the type may be left out it may be null too.
      const { const: type, anyOf } = properties["type"] as { const?: string; anyOf?: readonly { const?: string }[] };
      return String(type ?? anyOf?.[0]?.const);
    }),
    tableOf("Input items", ["Item", "Shape"]).map((row) => cell(row, "Item")),
  );
});

test("content parts are of the types of the document; each is text, or is rejected by name", () => {
  const rows = tableOf("Content parts (discriminated by `type`)", ["type", "Fields"]);
  assertSame(
    [...items.TEXT_PART_TYPES, ...items.UNSUPPORTED_PART_TYPES],
    rows.map((row) => cell(row, "type")),
  );
  const refusing = cell(
    tableOf("POST /responses", ["Input", "Result"]).find((row) => cell(row, "Input") === "multi-part user content") ??
      {},
    "Result",
  );
  for (const type of items.TEXT_PART_TYPES) assert.ok(refusing.indexOf(type) < refusing.indexOf("joined"), type);
  for (const type of items.UNSUPPORTED_PART_TYPES)
    assert.ok(refusing.lastIndexOf(type) > refusing.indexOf("joined"), type);
  assertSame(items.UNSUPPORTED_PART_TYPES, [
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
test("a plain text response has the events of the document, in order", () => {
  const sent: string[] = ["response.created", "response.in_progress"];
  const builder = createOutputBuilder(countingMint(), Infinity, (event) => sent.push(event.type));
  builder.accept({ type: "text", text: "Hi" });
  builder.close("completed");
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

test("every terminal status is in the transitions", () => {
  const targets = tableOf("States and transitions", ["From", "Trigger", "Condition", "To", "Also"]).map((row) =>
    cell(row, "To"),
  );
  for (const status of TERMINAL_STATUSES) assert.ok(targets.includes(status), status);
});

test("the law can fail: a missing table is reported", () => {
  assert.throws(() => tableOf("Limits", ["Constant", "Number"]), /no table/);
  assert.throws(() => tableOf("No such chapter", ["x"]), /has a chapter/);
  assert.throws(() => assertSame(["a"], ["a", "b"]));
  assert.throws(() => assertSame(["a", "b"], ["a"]));
});
