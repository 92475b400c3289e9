import assert from "node:assert/strict";
import test from "node:test";
import type { PromptItem } from "../../core/response/prompt.ts";
import { answer, call, result, stateOf } from "../../../test/support/prompt-items.ts";
import { samplePrompt, userMessage } from "../../../test/support/provider-samples.ts";
import { createWireNames } from "../wire/wire-names.ts";
import { toolNamesOf } from "../wire/tools.ts";
import { encodeItems } from "./items.ts";
import { createRoundState, type RoundItem } from "./round-state.ts";

const MODEL = "gpt";
const encode = (...items: PromptItem[]) => {
  const prompt = samplePrompt(items);
  return encodeItems(prompt, { upstreamModel: MODEL, toolNames: createWireNames(toolNamesOf(prompt)) });
};
const state = (...items: RoundItem[]): PromptItem =>
  stateOf(
    createRoundState(MODEL, items),
    ...items.flatMap((item) => (item.type === "function_call" ? [item.call_id] : [])),
  );

const message = (role: string, content: string) => ({ type: "message", role, content });
const wireCall = (callId: string, name = "look", of = callId) => ({
  type: "function_call" as const,
  call_id: callId,
  name,
  arguments: `{"of":"${of}"}`,
});
const wireResult = (callId: string, output = `out ${callId}`) => ({
  type: "function_call_output",
  call_id: callId,
  output,
});
const thought = (secret: string) =>
  ({ type: "reasoning", summary: [{ type: "summary_text", text: "s" }], encrypted_content: secret }) as const;
const said = (text: string) =>
  ({
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
    phase: "commentary",
  }) as const;

test("every role has its message, an assistant message its phase", () => {
  assert.deepEqual(
    encode(
      { type: "message", role: "system", text: "S" },
      { type: "message", role: "developer", text: "D" },
      userMessage("U"),
      { type: "assistant", text: "C", isRefusal: false, phase: "commentary" },
      answer("A"),
    ),
    [
      message("system", "S"),
      message("developer", "D"),
      message("user", "U"),
      { ...message("assistant", "C"), phase: "commentary" },
      message("assistant", "A"),
    ],
  );
});

test("calls and outputs are items of their own, in order", () => {
  assert.deepEqual(encode(userMessage("U"), call("1"), call("2"), result("1"), result("2")), [
    message("user", "U"),
    wireCall("1"),
    wireCall("2"),
    wireResult("1"),
    wireResult("2"),
  ]);
});

test("the name of a carried call is not sent; any other is mapped to the characters that the API accepts", () => {
  assert.deepEqual(encode(call("1", null), result("1"))[0], wireCall("1", "tool"));
  assert.deepEqual(encode(call("1", "a.b:c"), result("1"))[0], wireCall("1", "a_b_c"));
});

test("an id that the API would reject is mapped, the same for call and output", () => {
  for (const callId of ["x".repeat(65), ""]) {
    const [first, second] = encode(call(callId), result(callId));
    assert.ok(first?.type === "function_call" && second?.type === "function_call_output");
    assert.equal(first.call_id, second.call_id);
    assert.match(first.call_id, /^call_.{43}$/);
  }
  const kept = "x".repeat(64);
  assert.deepEqual(encode(call(kept), result(kept)), [wireCall(kept), wireResult(kept)]);
});

test("a replayed call has its id in the prompt, alike in its output", () => {
  const round = createRoundState(MODEL, [thought("one"), wireCall("1")]);
  assert.deepEqual(
    encode(call("1"), result("1"), stateOf(round, ["1", "fc_2"]), call("fc_2"), result("fc_2")).slice(2),
    [thought("one"), { ...wireCall("1"), call_id: "fc_2" }, wireResult("fc_2")],
  );
});

test("a refusal is sent as its text, and left out when it has none", () => {
  assert.deepEqual(encode(userMessage("U"), answer("No.", true), userMessage("V"), answer("", true)), [
    message("user", "U"),
    message("assistant", "No."),
    message("user", "V"),
  ]);
});

test("a round with a state is replayed as received, nothing twice", () => {
  const first = [thought("one"), said("Let me see."), wireCall("1"), thought("two"), wireCall("2")] as const;
  const second = [thought("three"), wireCall("3")] as const;
  assert.deepEqual(
    encode(
      userMessage("U"),
      state(...first),
      answer("Let me see."),
      call("1"),
      call("2"),
      result("1"),
      result("2"),
      state(...second),
      call("3"),
      result("3"),
    ),
    [message("user", "U"), ...first, wireResult("1"), wireResult("2"), ...second, wireResult("3")],
  );
});

test("a message after its round's calls is sent once, wherever the history has it", () => {
  const round = [thought("one"), wireCall("1"), said("Now wait.")] as const;
  assert.deepEqual(encode(state(...round), call("1"), result("1"), answer("Now wait.")), [...round, wireResult("1")]);
});

test("truncated calls are not replayed, nor the reasoning that led to them alone", () => {
  const round = [thought("one"), wireCall("1"), thought("two"), wireCall("cut"), thought("three")] as const;
  const cut = stateOf(createRoundState(MODEL, round), "1");
  assert.deepEqual(encode(cut, call("1"), result("1")), [thought("one"), wireCall("1"), wireResult("1")]);
});

test("a state of another family or model is not sent: its round is rebuilt", () => {
  const others: unknown[] = [
    null,
    4,
    "x",
    [],
    { items: [thought("x"), wireCall("1")] },
    { model: "other", items: [thought("x"), wireCall("1")] },
    { model: MODEL, items: "x" },
    { model: MODEL, items: [wireCall("1"), { type: "unheard_of" }] },
    { model: MODEL, items: [wireCall("1"), { type: "function_call", call_id: 1 }] },
    { model: MODEL, items: [{ type: "message", role: "user", content: [] }] },
  ];
  for (const one of others) {
    assert.deepEqual(encode(stateOf(one, "1"), call("1"), result("1")), [wireCall("1"), wireResult("1")]);
  }
});

test("a call of another model's round is sent beside a replayed one", () => {
  const round = [thought("one"), wireCall("1")] as const;
  const wire = encode(state(...round), call("1"), result("1"), stateOf(null, "2"), call("2"), result("2"));
  assert.deepEqual(wire, [...round, wireResult("1"), wireCall("2"), wireResult("2")]);
});
