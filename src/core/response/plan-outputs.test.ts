// Plans that continue a turn: the fields that tool outputs inherit, and the responses that a response's status and
// waiting calls allow.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseId } from "../../contract/ids.ts";
import { assertInvalidInput, callItem, entryOf, userMessage } from "../../../test/support/responses.ts";
import type { Plan } from "./plan.ts";
import { NO_USAGE } from "../../contract/usage.ts";
import { plan, latestOf, continued, first, later, output, warningCodes } from "../../../test/support/plans.ts";
import { stateOf } from "../../../test/support/prompt-items.ts";

test("a response that was cancelled without its input cannot be continued, one with it can", () => {
  const cancelled = latestOf({}, { status: "cancelled", requiresOutputs: false });
  assert.ok(later({ input: "x" }, cancelled));
  assertInvalidInput(
    () => later({ input: "x" }, { ...cancelled, hasEntered: false }),
    "previous_response_id",
    "cancelled without its input",
  );
});

for (const status of ["queued", "in_progress", "failed"] as const) {
  test(`previous_response_id can't name a response that is ${status}; its conversation can be continued`, () => {
    const latest = latestOf({}, { status });
    assertInvalidInput(() => later({}, latest), "previous_response_id", status);
    assert.ok(plan({ conversation: "conv_1" }, { history: continued(latest) }));
  });
}

for (const status of ["completed", "incomplete", "cancelled"] as const) {
  test(`previous_response_id can name a response that is ${status}`, () =>
    assert.ok(later({}, latestOf({}, { status }))));
}

const waitingCalls = [callItem("a"), callItem("b")];

test("a user turn while calls wait is an error by either route, naming calls and response", () => {
  const latest = latestOf({ id: "resp_w" }, { waitingCalls });
  assertInvalidInput(() => later({}, latest), "input", "a, b", "resp_w");
  assertInvalidInput(() => plan({ conversation: "conv_1" }, { history: continued(latest) }), "input", "a, b");
  assertInvalidInput(() => later({ input: [{ role: "user", content: "x" }] }, latest), "input", "a, b");
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

test("tool outputs inherit tools, choice, limit of calls and safety_identifier; the request's own are ignored", () => {
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

test("tool outputs report the response that their response continued, by either route", () => {
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

test("a response knows the first one of its history, through turns and rounds", () => {
  const firstOf = (head: Parameters<typeof latestOf>[0], body: Record<string, unknown>) =>
    later(body, latestOf(head, { waitingCalls })).head;
  assert.equal(firstOf({ turnId: "resp_0" }, { input: outputs }).firstResponseId, undefined);
  assert.equal(firstOf({ turnId: "resp_1", firstResponseId: "resp_0" }, { input: outputs }).firstResponseId, "resp_0");
  const user = (head: Parameters<typeof latestOf>[0]) => later({}, latestOf(head)).head.firstResponseId;
  assert.equal(user({ turnId: "resp_0" }), "resp_0");
  assert.equal(user({ turnId: "resp_1", firstResponseId: "resp_0" }), "resp_0");
});

test("tool outputs add usage to their turn's earlier rounds; a user turn counts from zero", () => {
  assert.deepEqual(later({ input: outputs }, asked).head.usageBefore, {
    ...NO_USAGE,
    input_tokens: 3,
    total_tokens: 3,
  });
  const user = latestOf({ usageBefore: { ...NO_USAGE, total_tokens: 5 } });
  assert.deepEqual(later({}, user).head.usageBefore, NO_USAGE);
});

test("instructions, settings and metadata of tool outputs are the request's own", () => {
  const { head } = later({ input: outputs, temperature: 0.5, metadata: { a: "b" } }, asked);
  assert.deepEqual([head.instructions, head.temperature, head.metadata], [null, 0.5, { a: "b" }]);
});

test("the user of tool outputs is the request's own when their response has no safety_identifier", () => {
  const latest = latestOf({}, { waitingCalls });
  assert.equal(later({ input: outputs, user: "u" }, latest).prompt.endUserHash, "hash of u");
  assert.equal(later({ input: outputs, user: "u", safety_identifier: "s" }, latest).prompt.endUserHash, null);
  assert.equal(later({ input: outputs, user: "u" }, asked).prompt.endUserHash, "hash of end-user");
});

test("items resent with tool outputs are ignored with a warning, even those that are errors in a user turn", () => {
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

test("a resent exchange whose call is not waiting makes a user turn, whose fields are then checked", () => {
  const resent = { type: "function_call", call_id: "z", name: "n", arguments: "{}" };
  const input = [resent, output("z"), { role: "user", content: "x" }];
  assert.equal(later({ input }, latestOf()).opensTurn, true);
  assertInvalidInput(() => later({ input, max_tool_calls: 0 }, latestOf()), "max_tool_calls");
});

test("an output in a conversation without a response continues nothing", () => {
  const given = { history: continued(null) };
  assertInvalidInput(() => first({ conversation: "conv_1", input: [output("a")] }, given), "input", '"a"');
});

test("with tool outputs the model is sent the states of those rounds of the turn that it ran itself", () => {
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
  assert.deepEqual(states(later({ input: outputs }, latest, { entries })), [stateOf("opaque", "a", "b")]);
  assert.deepEqual(states(later({ input: outputs, model: "second/all" }, latest, { entries })), []);
  assert.deepEqual(states(later({}, { ...latest, waitingCalls: [] }, { entries })), []);
});
