import assert from "node:assert/strict";
import { test } from "node:test";
import { samplePrompt, userMessage } from "../../../test/support/provider-samples.ts";
import { answer, call, result, stateOf } from "../../../test/support/prompt-items.ts";
import type { PromptItem } from "../../core/response/prompt.ts";
import { createWireNames } from "../wire/wire-names.ts";
import { toolNamesOf } from "../wire/tools.ts";
import { encodeMessages } from "./messages.ts";
import { traitsOf } from "./model-traits.ts";
import { returnedFields } from "./round-state.ts";

const wireCall = (id: string, name = "look") => ({
  id,
  type: "function",
  function: { name, arguments: `{"of":"${id}"}` },
});

test("what the server needs back is in its message and its calls, also for models without reasoning", () => {
  const signature = (text: string) => ({ extra_content: { google: { thought_signature: text } } });
  const details = [{ type: "reasoning.text", text: "hm", signature: "S" }];
  const round: PromptItem[] = [
    stateOf(
      { reasoning: "hm", reasoning_details: details, calls: { 1: signature("A"), three: signature("B") } },
      "1",
      "2",
      ["three", "3"],
    ),
    answer("Well, "),
    answer("look."),
    call("1"),
    call("2"),
    call("3"),
    result("1"),
    result("2"),
    result("3"),
    answer("Found"),
    call("4"),
    result("4"),
  ];
  const prompt = samplePrompt([userMessage("?"), ...round]);
  const [, first, , , , second] = encodeMessages(prompt, {
    traits: traitsOf({ upstreamModel: "gemini-3.5-flash" }),
    toolNames: createWireNames(toolNamesOf(prompt)),
  });
  assert.deepEqual(first, {
    role: "assistant",
    content: "Well, look.",
    tool_calls: [{ ...wireCall("1"), ...signature("A") }, wireCall("2"), { ...wireCall("3"), ...signature("B") }],
    reasoning_details: details,
  });
  assert.deepEqual(second, { role: "assistant", content: "Found", tool_calls: [wireCall("4")] });
});

test("a signature that LiteLLM puts into the function goes back with its call", () => {
  const fields = { provider_specific_fields: { thought_signature: "S" } };
  assert.deepEqual(returnedFields({ id: "1", function: { name: "look", ...fields } }), fields);
  assert.equal(returnedFields({ id: "1", function: { name: "look", provider_specific_fields: null } }), null);
});
