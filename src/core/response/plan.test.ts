import assert from "node:assert/strict";
import { test } from "node:test";
import { createCatalog } from "../models/catalog.ts";
import { readCreateBody } from "../reading/create-body.ts";
import {
  assistantMessage,
  assertInvalidInput,
  callItem,
  entryOf,
  headOf,
  modelOf,
  outputItem,
  apiErrorOf,
  userMessage,
} from "../../../test/support/responses.ts";
import { draftPlan, openPlan } from "./draft.ts";
import { NO_USAGE } from "../../contract/usage.ts";
import {
  plan,
  latestOf,
  continued,
  first,
  later,
  output,
  tool,
  warningCodes,
  OPEN,
} from "../../../test/support/plans.ts";

test("a plain first response is planned with every default", () => {
  const planned = first({});
  assert.deepEqual(
    planned.head,
    headOf({ id: "resp_new", turnId: "resp_new", createdAt: 1_700_000_009, promptCharacters: 2 }),
  );
  assert.equal(planned.model.id, "test/all");
  assert.equal(planned.opensTurn, true);
  assert.equal(planned.callsMax, Infinity);
  assert.deepEqual(planned.prompt, {
    instructions: null,
    items: [{ type: "message", role: "user", text: "Hi" }],
    otherCallIds: [],
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: null,
    temperature: null,
    topP: null,
    presencePenalty: null,
    frequencyPenalty: null,
    format: null,
    verbosity: null,
    maxOutputTokens: 2000,
    maxOutputTokensSet: false,
    endUserHash: null,
  });
});

test("the request's fields are echoed and sent to the model unchanged", () => {
  const planned = first({
    instructions: "Be brief.",
    metadata: { a: "b" },
    temperature: 0,
    top_p: 0.5,
    presence_penalty: 1,
    frequency_penalty: -1,
    parallel_tool_calls: true,
    text: { format: { type: "json_schema", schema: {} }, verbosity: "low" },
    tools: [tool],
    tool_choice: "required",
    max_tool_calls: 4,
    max_output_tokens: 100,
    truncation: "auto",
    include: ["reasoning.encrypted_content"],
    conversation: { id: "conv_1" },
  });
  const { head, prompt } = planned;
  assert.deepEqual(
    { ...head, usageBefore: null },
    {
      ...headOf({
        id: "resp_new",
        turnId: "resp_new",
        createdAt: 1_700_000_009,
        conversationId: "conv_1",
        instructions: "Be brief.",
        metadata: { a: "b" },
        temperature: 0,
        topP: 0.5,
        presencePenalty: 1,
        frequencyPenalty: -1,
        text: { format: { type: "json_schema", schema: {} }, verbosity: "low" },
        tools: [{ type: "function", name: "add", description: null, parameters: null, strict: null }],
        toolChoice: "required",
        maxToolCalls: 4,
        maxOutputTokens: 100,
        requestedMaxOutputTokens: 100,
        truncation: "auto",
        includesEncryptedContent: true,
        promptCharacters: planned.promptCharacters,
      }),
      usageBefore: null,
    },
  );
  assert.deepEqual(
    [
      prompt.instructions,
      prompt.temperature,
      prompt.parallelToolCalls,
      prompt.maxOutputTokens,
      prompt.maxOutputTokensSet,
    ],
    ["Be brief.", 0, true, 100, true],
  );
  assert.equal(planned.callsMax, 4);
});

test("a model is needed on a first response, in a conversation without a response too", () => {
  assertInvalidInput(() => plan({}), "model", "required");
  assertInvalidInput(() => plan({ conversation: "conv_1" }, { history: continued(null) }), "model", "required");
});

test("a model is found by its id or its bare form, and reported by its id", () => {
  assert.equal(plan({ model: "all" }).head.model, "test/all");
  assert.equal(plan({ model: "second/all" }).head.model, "second/all");
  assertInvalidInput(() => plan({ model: "nobody/all" }), "model", "nobody/all", "GET /v1/models");
});

test("a later response inherits the model, by either route, and can switch it", () => {
  const latest = latestOf({ model: "second/all" });
  assert.equal(later({}, latest).head.model, "second/all");
  assert.equal(plan({ conversation: "conv_1" }, { history: continued(latest) }).head.model, "second/all");
  assert.equal(later({ model: "test/all" }, latest).head.model, "test/all");
});

test("an inherited model that left the catalog is an error", () => {
  assertInvalidInput(() => later({}, latestOf({ model: "gone/x" })), "model", "gone/x");
});

test("policy denies a model with param model, also an inherited one and its bare form", () => {
  for (const policy of [
    { ...OPEN, denyModels: ["test/all"] },
    { ...OPEN, allowModels: ["second/all"] },
    { ...OPEN, allowModels: [] },
    { ...OPEN, allowModels: ["test/all"], denyModels: ["test/all"] },
  ]) {
    for (const run of [
      () => first({}, { policy }),
      () => plan({ model: "all" }, { policy }),
      () => later({}, latestOf(), { policy }),
    ]) {
      const rejection = apiErrorOf(run);
      assert.deepEqual([rejection.code, rejection.status, rejection.param], ["model_policy_violation", 400, "model"]);
    }
  }
  assert.ok(first({}, { policy: { ...OPEN, allowModels: ["test/all"] } }));
});

test("max_output_tokens is clamped to the model, inherited as requested and clamped again", () => {
  const small = plan({ model: "test/tiny-output", max_output_tokens: 4000 });
  assert.deepEqual([small.head.maxOutputTokens, small.head.requestedMaxOutputTokens], [500, 4000]);
  assert.equal(small.prompt.maxOutputTokens, 500);
  const large = later({ model: "test/all" }, latestOf({ ...small.head }));
  assert.deepEqual([large.head.maxOutputTokens, large.head.requestedMaxOutputTokens], [4000, 4000]);
  assert.equal(later({ max_output_tokens: 16 }, latestOf({ ...small.head })).head.maxOutputTokens, 16);
});

test("max_output_tokens is null when no response sent one; the prompt then has the model's default", () => {
  const planned = plan({ model: "test/tiny-output" });
  assert.equal(planned.head.maxOutputTokens, null);
  assert.deepEqual([planned.prompt.maxOutputTokens, planned.prompt.maxOutputTokensSet], [300, false]);
});

test("instructions, metadata, settings and truncation are of this request only", () => {
  const latest = latestOf({
    instructions: "old",
    metadata: { a: "b" },
    temperature: 0,
    truncation: "auto",
    tools: [{ type: "function", name: "old", description: null, parameters: null, strict: null }],
    toolChoice: "required",
    maxToolCalls: 1,
    safetyIdentifier: "s",
    text: { format: { type: "text" }, verbosity: "low" },
    includesEncryptedContent: true,
    usageBefore: { ...NO_USAGE, total_tokens: 7 },
  });
  assert.deepEqual(
    later({}, latest).head,
    headOf({
      id: "resp_new",
      turnId: "resp_new",
      createdAt: 1_700_000_009,
      previousResponseId: "resp_1",
      firstResponseId: "resp_1",
      promptCharacters: 2,
    }),
  );
});

test("a history is sent before the input", () => {
  const entries = [
    entryOf(userMessage("msg_1", "one"), { opensTurn: true }),
    entryOf(assistantMessage("msg_2", "two")),
    entryOf(callItem("c")),
    entryOf(outputItem("c", "three")),
  ];
  assert.deepEqual(
    later({}, latestOf(), { entries }).prompt.items.map((item) => item.type),
    ["message", "assistant", "call", "result", "message"],
  );
});

test("unsupported settings, forced choices and includes are errors naming the response's model, also an inherited one", () => {
  const unforced = createCatalog([modelOf({ settings: new Set(), forcedToolChoice: false })]);
  const draft = (fields: Record<string, unknown>) =>
    draftPlan(
      openPlan(
        {
          request: readCreateBody({ input: "Hi", previous_response_id: "resp_1", ...fields }),
          history: continued(latestOf()),
          policy: OPEN,
        },
        unforced,
      ),
    );
  assertInvalidInput(() => draft({ temperature: 1 }), "temperature", "test/all");
  assertInvalidInput(() => draft({ text: { verbosity: "low" } }), "text", "text.verbosity", "test/all");
  assertInvalidInput(() => draft({ top_logprobs: 0 }), "top_logprobs", "test/all");
  assertInvalidInput(() => draft({ tools: [tool], tool_choice: "required" }), "tool_choice", "test/all");
  assertInvalidInput(() => draft({ include: ["message.output_text.logprobs"] }), "include", "test/all");
});

test("a carried exchange counts like its items: the excess of a long call_id counts", () => {
  const counted = (callId: string) => {
    const call = { type: "function_call", call_id: callId, name: "n", arguments: "{}" };
    return first({ input: [{ role: "user", content: "Hi" }, call, output(callId)] }).promptCharacters;
  };
  assert.equal(counted("c"), 7);
  assert.equal(counted("c".repeat(1064)), 2007);
});

test("the reasoning settings that the provider applies to this prompt are reported", () => {
  assert.equal(first({}).head.reasoning, null);
  assert.deepEqual(plan({ model: "test/thinker" }).head.reasoning, { effort: "high", summary: "auto" });
  const forced = { tools: [tool], tool_choice: "required" };
  assert.deepEqual(plan({ model: "test/thinker", ...forced }).head.reasoning, { effort: "none", summary: "auto" });
});

test("policy limits the calls of a turn beside max_tool_calls; without parallel calls there is one", () => {
  const policy = { ...OPEN, toolCallsPerTurn: 3 };
  assert.equal(first({}, { policy }).callsMax, 3);
  assert.equal(first({ max_tool_calls: 2 }, { policy }).callsMax, 2);
  assert.equal(first({ parallel_tool_calls: false }, { policy }).callsMax, 1);
});

test("a prompt template is reported as not used", () => {
  assert.deepEqual(warningCodes(plan({ model: "test/all", prompt: { id: "pmpt_1" } })), ["prompt_not_used"]);
  assert.deepEqual(warningCodes(plan({ model: "test/all", prompt: null })), []);
});

test("an end user is hashed for a provider with a field for it; otherwise a warning says that it was not sent", () => {
  assert.equal(first({ safety_identifier: "s", user: "u" }).prompt.endUserHash, "hash of s");
  const byUser = first({ user: "u" });
  assert.equal(byUser.prompt.endUserHash, "hash of u");
  assert.equal(byUser.head.safetyIdentifier, null);
  const unsent = plan({ model: "test/nobody", safety_identifier: "s" });
  assert.equal(unsent.prompt.endUserHash, null);
  assert.equal(unsent.head.safetyIdentifier, "s");
  assert.deepEqual(warningCodes(unsent), ["safety_identifier_not_sent"]);
  assert.deepEqual(warningCodes(plan({ model: "test/nobody", user: "u" })), []);
});

test("an item_reference is checked against what the history holds", () => {
  const history = continued(latestOf(), { heldItemIds: new Set(["msg_1"]) });
  const input = (id: string) => [
    { type: "item_reference", id },
    { role: "user", content: "x" },
  ];
  assert.equal(later({ input: input("msg_1") }, latestOf(), { history }).input.length, 1);
  assertInvalidInput(() => later({ input: input("msg_2") }, latestOf(), { history }), "input", "input[0]", "msg_2");
});
