import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseId } from "../../contract/ids.ts";
import { type CatalogModel, createCatalog } from "../catalog.ts";
import { type HistoryItem, itemSize } from "../history/history-item.ts";
import { readCreateBody } from "../reading/create-body.ts";
import {
  answerMessage,
  assertRefuses,
  callItem,
  countingMint,
  entryOf,
  headOf,
  modelOf,
  outputItem,
  refusalOf,
  userMessage,
} from "../../../test/support/turns.ts";
import { draftPlan, type Plan, planTurn } from "./plan.ts";
import type { ContinuedHistory, PlanPolicy } from "./planning.ts";
import type { TurnHead } from "./turn.ts";
import { NO_USAGE } from "./usage.ts";

const OPEN: PlanPolicy = { allowModels: null, denyModels: [], toolCallsPerTurn: null };
const MODELS: readonly CatalogModel[] = [
  modelOf(),
  modelOf({ id: "test/tiny-output", maxOutputTokens: 500, defaultOutputTokens: 300 }),
  modelOf({ id: "test/nobody", hasEndUserField: false }),
  modelOf({ id: "test/thinker", thinking: { effort: "high" } }),
  modelOf({ id: "test/budget", thinking: { budgetTokens: 1024 } }),
  // Usable: 3,000 − 100 − 15 − 2,000 = 885 tokens, 3,540 characters.
  modelOf({ id: "test/small", contextWindow: 3000, defaultOutputTokens: 100 }),
  modelOf({ id: "second/all" }),
];

interface Given {
  readonly history?: ContinuedHistory | null;
  readonly entries?: readonly HistoryItem[];
  readonly policy?: PlanPolicy;
}

function plan(fields: Record<string, unknown>, given: Given = {}): Plan {
  const { history = null, entries = [], policy = OPEN } = given;
  const request = readCreateBody({ input: "Hi", ...fields });
  const draft = draftPlan(request, history, createCatalog(MODELS), policy);
  return planTurn({
    request,
    draft,
    history,
    entries,
    unreadable: 0,
    policy,
    id: "resp_new",
    createdAt: 1_700_000_009,
    endUserHash: (endUser) => `hash of ${endUser}`,
    reasoningOf: ({ thinking }, { toolChoice }) =>
      thinking === "none" ? null : { effort: toolChoice === "required" ? "none" : "high", summary: "auto" },
    mint: countingMint(),
  });
}

type Latest = NonNullable<ContinuedHistory["latest"]>;
const latestOf = (head: Partial<TurnHead> = {}, more: Partial<Latest> = {}): Latest => ({
  head: headOf(head),
  status: "completed",
  usage: NO_USAGE,
  waitingCalls: [],
  states: [],
  ...more,
});
const continued = (latest: Latest | null, more: Partial<ContinuedHistory> = {}): ContinuedHistory => ({
  size: 0,
  turns: 1,
  latest,
  heldItemIds: new Set(),
  ...more,
});
const first = (fields: Record<string, unknown>, given?: Given) => plan({ model: "test/all", ...fields }, given);
const later = (fields: Record<string, unknown>, latest: Latest, given: Given = {}) =>
  plan({ previous_response_id: latest.head.id, ...fields }, { history: continued(latest), ...given });
const output = (callId: string, text = "42") => ({ type: "function_call_output", call_id: callId, output: text });
const tool = { type: "function", name: "add", description: null, parameters: null, strict: null };
const warningCodes = ({ head }: Plan) => head.warnings.map((warning) => warning.code);

test("a plain first turn is planned with every default", () => {
  const planned = first({});
  assert.deepEqual(
    planned.head,
    headOf({ id: "resp_new", turnId: "resp_new", createdAt: 1_700_000_009, warnings: [] }),
  );
  assert.equal(planned.model.id, "test/all");
  assert.equal(planned.opensTurn, true);
  assert.equal(planned.callsMax, Infinity);
  assert.deepEqual(planned.prompt, {
    instructions: null,
    items: [{ type: "message", role: "user", text: "Hi" }],
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

test("what the request says is echoed, and sent to the model as said", () => {
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

test("a model is needed on a first turn, in a conversation without a response too", () => {
  assertRefuses(() => plan({}), "model", "required");
  assertRefuses(() => plan({ conversation: "conv_1" }, { history: continued(null) }), "model", "required");
});

test("a model is found by its id or its bare form, and reported by its id", () => {
  assert.equal(plan({ model: "all" }).head.model, "test/all");
  assert.equal(plan({ model: "second/all" }).head.model, "second/all");
  assertRefuses(() => plan({ model: "nobody/all" }), "model", "nobody/all", "GET /v1/models");
});

test("the model is carried to a later turn, through either name, and can be switched", () => {
  const latest = latestOf({ model: "second/all" });
  assert.equal(later({}, latest).head.model, "second/all");
  assert.equal(plan({ conversation: "conv_1" }, { history: continued(latest) }).head.model, "second/all");
  assert.equal(later({ model: "test/all" }, latest).head.model, "test/all");
});

test("a carried model that left the catalog is refused", () => {
  assertRefuses(() => later({}, latestOf({ model: "gone/x" })), "model", "gone/x");
});

test("policy forbids a model with param model, a carried one and its bare form too", () => {
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
      const refusal = refusalOf(run);
      assert.deepEqual([refusal.code, refusal.status, refusal.param], ["model_policy_violation", 400, "model"]);
    }
  }
  assert.ok(first({}, { policy: { ...OPEN, allowModels: ["test/all"] } }));
});

test("max_output_tokens is clamped to the model and carried as requested, clamped anew", () => {
  const small = plan({ model: "test/tiny-output", max_output_tokens: 4000 });
  assert.deepEqual([small.head.maxOutputTokens, small.head.requestedMaxOutputTokens], [500, 4000]);
  assert.equal(small.prompt.maxOutputTokens, 500);
  const large = later({ model: "test/all" }, latestOf({ ...small.head }));
  assert.deepEqual([large.head.maxOutputTokens, large.head.requestedMaxOutputTokens], [4000, 4000]);
  assert.equal(later({ max_output_tokens: 16 }, latestOf({ ...small.head })).head.maxOutputTokens, 16);
});

test("max_output_tokens is null when no turn sent one; the prompt then has the model's default", () => {
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
    headOf({ id: "resp_new", turnId: "resp_new", createdAt: 1_700_000_009, previousResponseId: "resp_1" }),
  );
});

for (const status of ["queued", "in_progress", "failed"] as const) {
  test(`previous_response_id can't name a response that is ${status}; its conversation can be continued`, () => {
    const latest = latestOf({}, { status });
    assertRefuses(() => later({}, latest), "previous_response_id", status);
    assert.ok(plan({ conversation: "conv_1" }, { history: continued(latest) }));
  });
}

for (const status of ["completed", "incomplete", "cancelled"] as const) {
  test(`previous_response_id can name a response that is ${status}`, () =>
    assert.ok(later({}, latestOf({}, { status }))));
}

const waitingCalls = [callItem("a"), callItem("b")];

test("a user turn while calls wait is refused, by either route, naming calls and response", () => {
  const latest = latestOf({ id: "resp_w" }, { waitingCalls });
  assertRefuses(() => later({}, latest), "input", "a, b", "resp_w");
  assertRefuses(() => plan({ conversation: "conv_1" }, { history: continued(latest) }), "input", "a, b");
  assertRefuses(() => later({ input: [{ role: "user", content: "x" }] }, latest), "input", "a, b");
});

const asked = latestOf(
  {
    id: "resp_2",
    turnId: "resp_1",
    previousResponseId: "resp_0",
    tools: [{ type: "function", name: "add", description: null, parameters: null, strict: null }],
    toolChoice: "required",
    maxToolCalls: 2,
    safetyIdentifier: "end-user",
    instructions: "old",
    usageBefore: { ...NO_USAGE, input_tokens: 1, total_tokens: 1 },
  },
  { waitingCalls, usage: { ...NO_USAGE, input_tokens: 2, total_tokens: 2 } },
);
const outputs = [output("a"), output("b")];

test("a tool answer inherits tools, choice, cap and safety_identifier; the request's own are ignored", () => {
  const planned = later(
    { input: outputs, tools: [], tool_choice: "none", max_tool_calls: 9, safety_identifier: "x" },
    asked,
  );
  const { head } = planned;
  assert.deepEqual(
    [head.tools, head.toolChoice, head.maxToolCalls, head.safetyIdentifier],
    [asked.head.tools, "required", 2, "end-user"],
  );
  assert.equal(planned.callsMax, 2);
  assert.equal(planned.prompt.endUserHash, "hash of end-user");
  assert.equal(planned.opensTurn, false);
});

test("a tool answer reports the response that its turn continued, by whichever name it came", () => {
  for (const name of [
    { previous_response_id: "resp_2" },
    { previous_response_id: "resp_0" },
    { conversation: "conv_1" },
  ]) {
    const { head } = plan({ ...name, input: outputs }, { history: continued(asked) });
    assert.equal(head.previousResponseId, "resp_0");
    assert.equal(head.turnId, "resp_1");
    assert.equal(head.conversationId, "conversation" in name ? "conv_1" : null);
  }
});

test("a tool answer counts usage on top of its turn's earlier rounds; a user turn counts from zero", () => {
  assert.deepEqual(later({ input: outputs }, asked).head.usageBefore, {
    ...NO_USAGE,
    input_tokens: 3,
    total_tokens: 3,
  });
  const user = latestOf({ usageBefore: { ...NO_USAGE, total_tokens: 5 } });
  assert.deepEqual(later({}, user).head.usageBefore, NO_USAGE);
});

test("a tool answer's instructions, settings and metadata are its own", () => {
  const { head } = later({ input: outputs, temperature: 0.5, metadata: { a: "b" } }, asked);
  assert.deepEqual([head.instructions, head.temperature, head.metadata], [null, 0.5, { a: "b" }]);
});

test("a tool answer's user is its own where its turn has no safety_identifier", () => {
  const latest = latestOf({}, { waitingCalls });
  assert.equal(later({ input: outputs, user: "u" }, latest).prompt.endUserHash, "hash of u");
  assert.equal(later({ input: outputs, user: "u" }, asked).prompt.endUserHash, "hash of end-user");
});

test("resent items of a tool answer are ignored with a warning, what no user turn may hold too", () => {
  const input = [
    { role: "user", content: "x" },
    { role: "assistant", content: "y" },
    { type: "web_search_call" },
    ...outputs,
  ];
  const planned = later({ input }, asked);
  assert.deepEqual(
    planned.input.map(({ item }) => item.type),
    ["function_call_output", "function_call_output"],
  );
  assert.deepEqual(warningCodes(planned), ["input_items_ignored"]);
});

test("a resent exchange that nobody waits for is a user turn's, whose fields are then read and refused", () => {
  const resent = { type: "function_call", call_id: "z", name: "n", arguments: "{}" };
  const input = [resent, output("z"), { role: "user", content: "x" }];
  assert.equal(later({ input }, latestOf()).opensTurn, true);
  assertRefuses(() => later({ input, max_tool_calls: 0 }, latestOf()), "max_tool_calls");
});

test("an output on a conversation without a response answers nothing", () => {
  const given = { history: continued(null) };
  assertRefuses(() => first({ conversation: "conv_1", input: [output("a")] }, given), "input", '"a"');
});

test("a tool answer is sent the states of those rounds of its turn that its own model ran", () => {
  const entries = [
    entryOf(userMessage("msg_1", "x"), { responseId: "resp_2", opensTurn: true }),
    entryOf(callItem("a"), { responseId: "resp_2" }),
    entryOf(callItem("b"), { responseId: "resp_2" }),
  ];
  const latest = {
    ...asked,
    states: [{ responseId: "resp_2" as ResponseId, model: asked.head.model, state: "opaque" }],
  };
  const states = (planned: Plan) => planned.prompt.items.filter((item) => item.type === "state");
  assert.deepEqual(states(later({ input: outputs }, latest, { entries })), [{ type: "state", state: "opaque" }]);
  assert.deepEqual(states(later({ input: outputs, model: "second/all" }, latest, { entries })), []);
  assert.deepEqual(states(later({}, { ...latest, waitingCalls: [] }, { entries })), []);
});

test("a history is sent before the input", () => {
  const entries = [
    entryOf(userMessage("msg_1", "one"), { opensTurn: true }),
    entryOf(answerMessage("msg_2", "two")),
    entryOf(callItem("c")),
    entryOf(outputItem("c", "three")),
  ];
  assert.deepEqual(
    later({}, latestOf(), { entries }).prompt.items.map((item) => item.type),
    ["message", "answer", "call", "result", "message"],
  );
});

test("unsupported settings, forced choices and includes are refused naming the model of the turn, a carried one too", () => {
  const unforced = createCatalog([modelOf({ settings: new Set(), forcedToolChoice: false })]);
  const draft = (fields: Record<string, unknown>) =>
    draftPlan(
      readCreateBody({ input: "Hi", previous_response_id: "resp_1", ...fields }),
      continued(latestOf()),
      unforced,
      OPEN,
    );
  assertRefuses(() => draft({ temperature: 1 }), "temperature", "test/all");
  assertRefuses(() => draft({ text: { verbosity: "low" } }), "text", "text.verbosity", "test/all");
  assertRefuses(() => draft({ top_logprobs: 0 }), "top_logprobs", "test/all");
  assertRefuses(() => draft({ tools: [tool], tool_choice: "required" }), "tool_choice", "test/all");
  assertRefuses(() => draft({ include: ["message.output_text.logprobs"] }), "include", "test/all");
});

test("a carried exchange counts as its items will: of a long call_id what ids do not have", () => {
  const counted = (callId: string) => {
    const call = { type: "function_call", call_id: callId, name: "n", arguments: "{}" };
    return first({ input: [{ role: "user", content: "Hi" }, call, output(callId)] }).promptCharacters;
  };
  assert.equal(counted("c"), 7);
  assert.equal(counted("c".repeat(1064)), 2007);
});

test("what the provider says of the model's reasoning, for this very prompt, is reported", () => {
  assert.equal(first({}).head.reasoning, null);
  assert.deepEqual(plan({ model: "test/thinker" }).head.reasoning, { effort: "high", summary: "auto" });
  const forced = { tools: [tool], tool_choice: "required" };
  assert.deepEqual(plan({ model: "test/thinker", ...forced }).head.reasoning, { effort: "none", summary: "auto" });
});

test("policy caps the calls of a turn beside max_tool_calls; without parallel calls there is one", () => {
  const policy = { ...OPEN, toolCallsPerTurn: 3 };
  assert.equal(first({}, { policy }).callsMax, 3);
  assert.equal(first({ max_tool_calls: 2 }, { policy }).callsMax, 2);
  assert.equal(first({ parallel_tool_calls: false }, { policy }).callsMax, 1);
});

test("an end user is hashed for a provider that has a field for it; an identifier that is not sent is said", () => {
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

// Three turns of 1,000 characters in a model that takes 3,540.
const turns = [1, 2, 3].flatMap((turn) => [
  entryOf(userMessage(`msg_${turn}`, "u".repeat(500)), { opensTurn: true, responseId: `resp_${turn}` }),
  entryOf(answerMessage(`msg_${turn}a`, "a".repeat(500)), { responseId: `resp_${turn}` }),
]);
const small = latestOf({ id: "resp_3", model: "test/small" });
const full = { history: continued(small, { size: 3000, turns: 3 }), entries: turns };

test("a turn that does not fit is refused under disabled; under auto turns go and are counted in a warning", () => {
  const refusal = refusalOf(() => later({ input: "x".repeat(600) }, small, full));
  assert.deepEqual([refusal.code, refusal.param], ["context_length_exceeded", null]);
  const planned = later({ input: "x".repeat(600), truncation: "auto" }, small, full);
  assert.equal(planned.prompt.items.length, 5);
  assert.deepEqual(warningCodes(planned), ["truncated"]);
  assert.match(planned.head.warnings[0]?.message ?? "", /^1 turn was dropped/);
  assert.deepEqual(warningCodes(later({ input: "x".repeat(540), truncation: "auto" }, small, full)), []);
});

test("instructions count towards the window", () => {
  const fields = { input: "x".repeat(500) };
  assert.ok(later({ ...fields, instructions: "i".repeat(40) }, small, full));
  assert.equal(
    refusalOf(() => later({ ...fields, instructions: "i".repeat(41) }, small, full)).code,
    "context_length_exceeded",
  );
});

test("of a tool answer only the outputs that answer count towards the window", () => {
  const waiting = { ...small, waitingCalls: [callItem("a")] };
  const given = { ...full, history: continued(waiting, { size: 3000, turns: 3 }) };
  const old = output("old", "o".repeat(5000));
  const resent = { type: "function_call", call_id: "old", name: "n", arguments: "{}" };
  const input = [{ role: "user", content: "u".repeat(5000) }, resent, old, output("a", "x".repeat(540))];
  assert.ok(later({ input }, waiting, given));
  assert.throws(() => later({ input: [output("a", "x".repeat(541))] }, waiting, given));
});

test("truncation never drops the turn that a tool answer continues, items added meanwhile or not", () => {
  const added = entryOf(userMessage("msg_added", "n".repeat(1000)), { opensTurn: true });
  const entries = [
    ...turns,
    entryOf(userMessage("msg_4", "q".repeat(1000)), { opensTurn: true, responseId: "resp_4" }),
    entryOf(callItem("a"), { responseId: "resp_4" }),
    added,
  ];
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  const waiting = latestOf({ id: "resp_4", turnId: "resp_4", model: "test/small" }, { waitingCalls: [callItem("a")] });
  const given = { history: continued(waiting, { size, turns: 5 }), entries };
  const planned = later({ input: [output("a", "x".repeat(500))], truncation: "auto" }, waiting, given);
  assert.deepEqual(
    planned.prompt.items.map((item) => item.type),
    ["message", "call", "result", "message"],
  );
  assert.match(planned.head.warnings[0]?.message ?? "", /^3 turns were dropped/);
  const tooMuch = { input: [output("a", "x".repeat(2000))], truncation: "auto" };
  assert.equal(refusalOf(() => later(tooMuch, waiting, given)).code, "context_length_exceeded");
});

test("an item_reference is checked against what the history holds", () => {
  const history = continued(latestOf(), { heldItemIds: new Set(["msg_1"]) });
  const input = (id: string) => [
    { type: "item_reference", id },
    { role: "user", content: "x" },
  ];
  assert.equal(later({ input: input("msg_1") }, latestOf(), { history }).input.length, 1);
  assertRefuses(() => later({ input: input("msg_2") }, latestOf(), { history }), "input", "input[0]", "msg_2");
});

const exchange = [
  { type: "function_call", call_id: "c".repeat(70), name: "find", arguments: "{}" },
  { type: "function_call_output", call_id: "c".repeat(70), output: "found" },
];
for (const [name, input] of [
  ["a text", "Hello"],
  [
    "messages",
    [
      { role: "user", content: "a" },
      { role: "user", content: "" },
      { role: "user", content: "b" },
      { role: "user", content: "👋" },
    ],
  ],
  ["parts", [{ role: "user", content: ["a", "", "b"].map((text) => ({ type: "input_text", text })) }]],
  ["a carried exchange", [...exchange, { role: "user", content: "Go on" }]],
  [
    "reasoning",
    [
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
      { role: "user", content: "Go on" },
    ],
  ],
] as const) {
  test(`${name} counts before the turn what its items count in its history`, () => {
    const { promptCharacters, input: items } = plan({ model: "test/all", input, instructions: "Be brief" });
    assert.equal(
      promptCharacters,
      items.reduce((sum, { item }) => sum + itemSize(item), "Be brief".length),
    );
  });
}
