// Cache points, judged by a cache that works as Anthropic documents it: an entry for each point, found again by a point
// at most 20 blocks behind it.
import assert from "node:assert/strict";
import test from "node:test";
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import { answer, call, result, stateOf } from "../../../test/support/prompt-items.ts";
import { sampleModel, samplePrompt, sampleTool, userMessage } from "../../../test/support/provider-samples.ts";
import { encode } from "./encode.ts";
import { createRoundState } from "./round-state.ts";
import type { WireRequest } from "./wire.ts";

const LOOKBACK_BLOCKS = 20;
const model = sampleModel({ upstreamModel: "claude-opus-5-5", thinking: { effort: "high" } });

const request = (items: readonly PromptItem[], changes: Partial<Prompt> = {}) =>
  encode(model, samplePrompt(items, changes)).request;

/** The blocks of a request in the order of the cache, each without its point and with whether it has one. */
function blocksOf({ tools = [], system = [], messages }: WireRequest) {
  const said: readonly object[] = messages.flatMap(({ role, content }): readonly object[] =>
    typeof content === "string" ? [{ role, content }] : content.map((block) => ({ role, ...block })),
  );
  const blocks: readonly object[] = [...tools, ...(typeof system === "string" ? [{ system }] : system), ...said];
  return blocks.map((block) => ({
    text: JSON.stringify({ ...block, cache_control: undefined }),
    isPoint: "cache_control" in block,
  }));
}

function createCache() {
  const entries = new Set<string>();
  return {
    /** How many blocks of a request are read from the cache, and how many it has. */
    ask(sent: WireRequest): { read: number; blocks: number } {
      const blocks = blocksOf(sent);
      const prefixes = blocks.map((_, at) => JSON.stringify(blocks.slice(0, at + 1).map(({ text }) => text)));
      const points = blocks.flatMap(({ isPoint }, at) => (isPoint ? [at] : []));
      assert.ok(points.length <= 4, `${points.length} points`);
      const found = points.flatMap((point) =>
        prefixes.flatMap((prefix, at) =>
          at <= point && at > point - LOOKBACK_BLOCKS && entries.has(prefix) ? [at + 1] : [],
        ),
      );
      for (const point of points) entries.add(prefixes[point] ?? "");
      return { read: Math.max(0, ...found), blocks: blocks.length };
    },
  };
}

const CALLS = 12;
/** A round with more blocks than a point looks back over, with its thinking while its turn lasts. */
function round(name: string, isOfCurrentTurn: boolean): readonly PromptItem[] {
  const ids = Array.from({ length: CALLS }, (_, at) => `${name}${at}`);
  const thought = { type: "thinking" as const, thinking: "Hm.", signature: name };
  const state = createRoundState([thought, ...ids.map((callId) => ({ type: "call" as const, callId }))]);
  return [
    ...(isOfCurrentTurn ? [stateOf(state, ...ids)] : []),
    ...ids.map((id) => call(id)),
    ...ids.map((id) => result(id)),
  ];
}

test("every request of a conversation reads the prompt that it shares with those before", () => {
  const cache = createCache();
  const settings = { instructions: "Be brief.", tools: [sampleTool("look"), sampleTool("find")] };
  const ask = (...items: readonly PromptItem[]) => cache.ask(request(items, settings));
  const first = ask(userMessage("1"));
  assert.deepEqual(first, { read: 0, blocks: 4 });
  const second = ask(userMessage("1"), answer("one"), userMessage("2"));
  assert.equal(second.read, first.blocks);
  const turn = [userMessage("1"), answer("one"), userMessage("2")];
  const third = ask(...turn, ...round("a", true));
  assert.equal(third.read, second.blocks);
  const fourth = ask(...turn, ...round("a", true), ...round("b", true));
  assert.equal(fourth.read, third.blocks);
  // The thinking is gone: what is shared ends with the turn's first message.
  const later = [...turn, ...round("a", false), ...round("b", false), answer("two")];
  const fifth = ask(...later, userMessage("3"));
  assert.equal(fifth.read, second.blocks);
  const sixth = ask(...later, userMessage("3"), answer("three"), userMessage("4"));
  assert.equal(sixth.read, fifth.blocks);
});

test("another conversation reads the tools and the instructions, or the tools alone", () => {
  const cache = createCache();
  const tools = [sampleTool("look")];
  const ask = (text: string, changes: Partial<Prompt>) => cache.ask(request([userMessage(text)], changes)).read;
  assert.equal(ask("1", { instructions: "Be brief.", tools }), 0);
  assert.equal(ask("2", { instructions: "Be brief.", tools }), 2);
  assert.equal(ask("1", { instructions: "Be right.", tools }), 1);
  assert.equal(ask("1", { instructions: "Be right." }), 0);
  assert.equal(ask("2", { instructions: "Be right." }), 1);
});

test("the message of a prompt that may be the only one is not written", () => {
  const { system, messages } = request([userMessage("?")], { instructions: "Be brief." });
  assert.deepEqual(system, [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }]);
  assert.deepEqual(messages, [{ role: "user", content: [{ type: "text", text: "?" }] }]);
});

test("a blank text has no point", () => {
  const { messages } = request([userMessage(" ")], { tools: [sampleTool("look")] });
  assert.deepEqual(messages, [{ role: "user", content: [{ type: "text", text: " " }] }]);
});

test("a model that is not to cache prompts gets no point", () => {
  const items = [userMessage("1"), answer("one"), userMessage("2")];
  const prompt = samplePrompt(items, { instructions: "Be brief.", tools: [sampleTool("look")] });
  const sent = encode({ ...model, cachesPrompts: false }, prompt).request;
  assert.equal(sent.system, "Be brief.");
  assert.doesNotMatch(JSON.stringify(sent), /cache_control/);
});
