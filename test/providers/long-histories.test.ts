// The cost of a history grows linearly with its length, whatever it consists of. docs/reliability.md, F-43
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseId } from "../../src/contract/ids.ts";
import type { PromptItem } from "../../src/core/response/prompt.ts";
import { type PromptSource, toPromptItems } from "../../src/core/response/prompt-items.ts";
import { encodeMessages as encodeAnthropic } from "../../src/providers/anthropic/messages.ts";
import { createRoundState, type RoundBlock } from "../../src/providers/anthropic/round-state.ts";
import { encodeMessages as encodeGemini } from "../../src/providers/gemini/messages.ts";
import { traitsOf } from "../../src/providers/gemini/model-traits.ts";
import { createRoundState as createGeminiState } from "../../src/providers/gemini/round-state.ts";
import { CARRIED_TOOL_NAME } from "../../src/providers/wire/tools.ts";
import { createWireNames } from "../../src/providers/wire/wire-names.ts";
import { COST_RATIO_MAX, costRatio } from "../support/cost.ts";
import { samplePrompt } from "../support/provider-samples.ts";
import { callItem, outputItem } from "../support/responses.ts";
import { stateOf } from "../support/prompt-items.ts";

const toolNames = createWireNames([CARRIED_TOOL_NAME, "f"]);

function round(at: number, state: unknown): PromptItem[] {
  const callId = `call_${at}`;
  return [
    stateOf(state, callId),
    { type: "call", callId, name: "f", arguments: "{}" },
    { type: "result", callId, name: "f", output: "1" },
  ];
}

/** The items, and how many of them have been read by index. */
function counted<Item>(items: readonly Item[]) {
  let reads = 0;
  const proxy = new Proxy(items, {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads++;
      return Reflect.get(target, name) as unknown;
    },
  });
  return { items: proxy, reads: () => reads };
}

const rounds = (size: number, stateAt: (at: number) => unknown) =>
  Array.from({ length: size }, (_, at) => round(at, stateAt(at))).flat();
const say: RoundBlock = { type: "text", text: "a" };
const think: RoundBlock = { type: "thinking", thinking: "b", signature: "c" };

test("anthropic: a turn of many rounds with thinking", () => {
  const ratio = costRatio(200, (size) =>
    encodeAnthropic(
      rounds(size, (at) => createRoundState([think, { type: "call", callId: `call_${at}` }])),
      { takesSystemMessages: true, toolNames },
    ),
  );
  assert.ok(ratio < COST_RATIO_MAX, `eight times as many rounds took ${ratio.toFixed(1)} times as long`);
});

test("anthropic: a round of many texts with thinking between them", () => {
  const ratio = costRatio(400, (size) => {
    const [, call, result] = round(0, null) as [PromptItem, PromptItem, PromptItem];
    const texts = Array.from({ length: size }, () => {
      return { type: "assistant", text: "a", isRefusal: false, phase: null } as const;
    });
    const blocks = Array.from({ length: size }, () => [say, think]).flat();
    const state = createRoundState([...blocks, { type: "call", callId: "call_0" }]);
    return encodeAnthropic([stateOf(state, "call_0"), ...texts, call, result], {
      takesSystemMessages: true,
      toolNames,
    });
  });
  assert.ok(ratio < COST_RATIO_MAX, `eight times as many texts took ${ratio.toFixed(1)} times as long`);
});

test("gemini: a turn of many rounds", () => {
  const reads = (size: number) => {
    const state = (at: number) => createGeminiState([{ functionCall: { name: "f", args: {} } }], [`call_${at}`]);
    const { items, reads: count } = counted(rounds(size, state));
    encodeGemini(samplePrompt(items), { traits: traitsOf("gemini-3.8-flash"), toolNames });
    return count();
  };
  assert.ok(reads(400) < 5 * reads(100), `${reads(100)} and ${reads(400)} items read`);
});

test("any family: rounds that ran beside each other, and were answered after all of them", () => {
  const reads = (size: number) => {
    const sources = (make: (at: number) => PromptSource["item"], prefix: string) =>
      Array.from({ length: size }, (_, at): PromptSource => {
        return { item: make(at), carried: false, answers: null, responseId: `${prefix}_${at}` as ResponseId };
      });
    const { items, reads: count } = counted([
      ...sources((at) => callItem(`call_${at}`), "resp"),
      ...sources((at) => outputItem(`call_${at}`, "1"), "resp_of"),
    ]);
    assert.equal(toPromptItems(items, []).length, 2 * size);
    return count();
  };
  assert.ok(reads(400) < 5 * reads(100), `${reads(100)} and ${reads(400)} items read`);
});
