// Every field of the response-object table, absent against null.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import { ResponseObject } from "../../contract/resources.ts";
import type { OutputItem } from "../../contract/items.ts";
import { assistantMessage, endOf, headOf } from "../../../test/support/responses.ts";
import { presentItems, presentResponse } from "./present.ts";
import type { StoredResponse, ResponseEnd, ResponseHead } from "./response.ts";
import { NO_USAGE } from "../../contract/usage.ts";
import { PLAIN_RESPONSE } from "../../../test/support/plain-response.ts";

const running = (head: Partial<ResponseHead> = {}) =>
  presentResponse({ head: headOf(head), status: "in_progress", end: null }, false);
const settled = (end: Partial<ResponseEnd>, head: Partial<ResponseHead> = {}) => {
  const whole = endOf(end);
  return presentResponse({ head: headOf(head), status: whole.status, end: whole }, false);
};

const PLAIN = {
  ...PLAIN_RESPONSE,
  id: "resp_1",
  created_at: 1_700_000_000,
  output: [],
};

for (const status of ["queued", "in_progress"] as const) {
  test(`a response that is ${status} has every field, empty output, and no usage key`, () => {
    const response = presentResponse({ head: headOf(), status, end: null }, false);
    assert.deepEqual(response, { ...PLAIN, status, completed_at: null });
    assert.equal(Object.hasOwn(response, "usage"), false);
  });
}

test("a completed response has its output, its time and its usage, and no key of an empty extension", () => {
  const output = [assistantMessage("msg_1", "Hi") as OutputItem];
  assert.deepEqual(settled({ output }), {
    ...PLAIN,
    status: "completed",
    completed_at: 1_700_000_001,
    output,
    usage: NO_USAGE,
  });
});

/** A row for each field of the head, which the response shows as set. */
const rows: readonly (readonly [Partial<ResponseHead>, Partial<ResponseObject>])[] = [
  [{ conversationId: "conv_1" }, { conversation: { id: "conv_1" } }],
  [{ instructions: "" }, { instructions: "" }],
  [{ maxOutputTokens: 100, requestedMaxOutputTokens: 500 }, { max_output_tokens: 100 }],
  [{ maxToolCalls: 3 }, { max_tool_calls: 3 }],
  [{ metadata: {} }, { metadata: {} }],
  [{ metadata: { a: "b" } }, { metadata: { a: "b" } }],
  [{ model: "other/x" }, { model: "other/x" }],
  [{ parallelToolCalls: false }, { parallel_tool_calls: false }],
  [{ presencePenalty: -1 }, { presence_penalty: -1 }],
  [{ frequencyPenalty: 0.5 }, { frequency_penalty: 0.5 }],
  [{ temperature: 0 }, { temperature: 0 }],
  [{ topP: 0 }, { top_p: 0 }],
  [{ previousResponseId: "resp_0" }, { previous_response_id: "resp_0" }],
  [{ reasoning: { effort: "high", summary: null } }, { reasoning: { effort: "high", summary: null } }],
  [{ safetyIdentifier: "s" }, { safety_identifier: "s" }],
  [
    { text: { format: { type: "json_schema", schema: {} }, verbosity: "low" } },
    { text: { format: { type: "json_schema", schema: {} }, verbosity: "low" } },
  ],
  [{ toolChoice: "none" }, { tool_choice: "none" }],
  [
    { tools: [{ type: "function", name: "f", description: null, parameters: null, strict: null }] },
    { tools: [{ type: "function", name: "f", description: null, parameters: null, strict: null }] },
  ],
  [{ truncation: "auto" }, { truncation: "auto" }],
];
for (const [head, fields] of rows) {
  test(`${JSON.stringify(head).slice(0, 70)} shows as it is, running and settled`, () => {
    assert.deepEqual(running(head), { ...PLAIN, status: "in_progress", completed_at: null, ...fields });
    assert.equal(Check(ResponseObject, running(head)), true);
    for (const [field, value] of Object.entries(fields)) {
      assert.deepEqual(settled({}, head)[field as keyof ResponseObject], value);
    }
  });
}

const failure = {
  type: "provider",
  code: "provider_error",
  message: "m",
  provider: "p",
  provider_status: 500,
  provider_request_id: null,
  retryable: true,
};

test("a failed response has its error of exactly code and message, its detail beside it, and usage", () => {
  const error = { code: "provider_error", message: "m" } as const;
  const response = settled({ status: "failed", error, failure });
  assert.deepEqual(response.error, error);
  assert.deepEqual(response["svc:error"], failure);
  assert.deepEqual(response.usage, NO_USAGE);
  assert.equal(Check(ResponseObject, response), true);
});

test("a cancelled response has no error", () => assert.equal(settled({ status: "cancelled" }).error, null));

test("an incomplete response has its reason", () => {
  const response = settled({ status: "incomplete", incompleteReason: "max_output_tokens" });
  assert.deepEqual(response.incomplete_details, { reason: "max_output_tokens" });
});

test("dropped calls and warnings appear where there are any, the plan's warnings while the response runs", () => {
  const warning = { code: "w", message: "m", param: null };
  const late = { ...warning, code: "late" };
  assert.equal(settled({ toolCallsDropped: 2 })["svc:tool_calls_dropped"], 2);
  assert.deepEqual(running({ warnings: [warning] })["svc:warnings"], [warning]);
  assert.deepEqual(settled({ warnings: [late] }, { warnings: [warning] })["svc:warnings"], [warning, late]);
});

test("usage is the running total of the exchange", () => {
  const usage = { ...NO_USAGE, input_tokens: 3, output_tokens: 2, total_tokens: 5 };
  assert.deepEqual(settled({ usage }, { usageBefore: usage }).usage, {
    ...NO_USAGE,
    input_tokens: 6,
    output_tokens: 4,
    total_tokens: 10,
  });
});

test("encrypted reasoning appears only on request; otherwise the key is absent, never null", () => {
  const open: OutputItem = { type: "reasoning", id: "rs_1", summary: [] };
  const encrypted: OutputItem = { ...open, encrypted_content: "enc" };
  const response: StoredResponse = { head: headOf(), status: "completed", end: endOf({ output: [encrypted] }) };
  assert.deepEqual(presentResponse(response, true).output, [encrypted]);
  assert.deepEqual(presentResponse(response, false).output, [open]);
  assert.deepEqual(presentItems([open], true), [open]);
});
