// The whole service on Anthropic: the thinking that a turn replays, and the effect of changing the prompt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ANTHROPIC_MODELS } from "../../../src/providers/anthropic/models.ts";
import type { Loose } from "../../support/http-client.ts";
import { TOOLS } from "../service-on-fake.ts";
import { codesOf, MODEL, startOnAnthropic, textOf } from "./service-setup.ts";

const { service, calls, lastBody, create, assertCompleted, answerCalls } = await startOnAnthropic();

for (const { id } of ANTHROPIC_MODELS) {
  test(`${id}: the rounds of a turn replay its thinking unchanged, the next turn none of it`, async () => {
    const input = [
      '/reason "First."\n/say Let me look.\n/tool look {"at":"one"}',
      '/reason "Second."\n/tool look {"at":"two"}\n/reason "Third."\n/say And there.\n/tool look {"at":"three"}',
      '/tool look {"at":"four"}',
      "/say Done.",
    ].join("\n/then\n");
    const tools = TOOLS;
    let reply = assertCompleted(await create({ model: id, input, tools, instructions: "Look well." }));
    const opened = reply;
    for (let round = 1; round <= 3; round++) {
      const firsts = calls()
        .slice(0, -1)
        .map(({ body }) => body.messages);
      // The earlier prompt is sent again byte for byte, since the thinking is bound to it.
      for (const messages of firsts) assert.deepEqual(lastBody().messages.slice(0, messages.length), messages);
      reply = assertCompleted(await answerCalls(reply, { instructions: "Look well." }));
      assert.deepEqual(codesOf(reply), []);
    }
    assert.equal(textOf(reply), "Done.");
    const assistants = lastBody().messages.filter(({ role }: Loose) => role === "assistant");
    assert.deepEqual(
      assistants.map(({ content }: Loose) =>
        content.map((block: Loose) => block.thinking ?? block.text ?? block.input.at),
      ),
      [["First.", "Let me look.", "one"], ["Second.", "two", "Third.", "And there.", "three"], ["four"]],
    );
    assert.equal(lastBody().messages.length, 7);

    assertCompleted(await create({ model: id, previous_response_id: reply.json.id, input: "/say Hello" }));
    assert.doesNotMatch(JSON.stringify(lastBody().messages), /thinking/);
    assert.equal(reply.json.usage.output_tokens > opened.json.usage.output_tokens, true);
  });
}

test("a model with a budget replays its thinking too, and joins another model's turn without any", async () => {
  const input = '/reason "First."\n/tool look {}\n/then\n/reason "Second."\n/tool look {}\n/then\n/say Done.';
  const older = { model: "anthropic/older" };
  const first = assertCompleted(await create({ ...older, input, tools: TOOLS, max_output_tokens: 4_000 }));
  const second = assertCompleted(await answerCalls(first));
  assert.deepEqual(lastBody().thinking, { type: "enabled", budget_tokens: 2_000 });
  assert.match(JSON.stringify(lastBody().messages), /"First\."/);
  assert.equal(textOf(assertCompleted(await answerCalls(second))), "Done.");

  const other = assertCompleted(await create({ input, tools: TOOLS }));
  assertCompleted(await answerCalls(other, older));
  assert.equal(lastBody().thinking, undefined);
});

test("tool outputs without room for the budget continue without the turn's thinking", async () => {
  const input = '/reason "First."\n/tool look {}\n/then\n/say Done.';
  const first = assertCompleted(
    await create({ model: "anthropic/older", input, tools: TOOLS, max_output_tokens: 4_000 }),
  );
  const second = assertCompleted(await answerCalls(first, { max_output_tokens: 500 }));
  assert.equal(textOf(second), "Done.");
  assert.deepEqual(second.json.reasoning, { effort: "none", summary: null });
});

test("instructions that change within a turn cost a bound model its earlier thinking, with a warning", async () => {
  const input = '/reason "Bound."\n/tool look {}\n/then\n/say Done.';
  for (const [model, codes] of [
    [MODEL, ["reasoning_not_replayed"]],
    ["anthropic/claude-opus-5", []],
  ] as const) {
    const first = assertCompleted(await create({ model, input, tools: TOOLS, instructions: "One." }));
    const second = assertCompleted(await answerCalls(first, { instructions: "Two." }));
    assert.deepEqual(codesOf(second), codes);
    assert.equal(textOf(second), "Done.");
  }
});

test("reasoning items carry summary and, when asked for, encrypted content", async () => {
  const include = ["reasoning.encrypted_content"];
  const reply = assertCompleted(await create({ input: '/reason "Hm."\n/say Yes.', include }));
  const [reasoning, message] = reply.json.output;
  assert.deepEqual(reasoning.summary, [{ type: "summary_text", text: "Hm." }]);
  assert.match(reasoning.encrypted_content, /^[\w-]+\.[\w-]+$/);
  assert.equal(message.content[0].text, "Yes.");
  const without = await service.request("GET", `/v1/responses/${reply.json.id}`);
  assert.equal(without.json.output[0].encrypted_content, undefined);
});

test("calls beyond the limit are dropped, and the turn goes on without them", async () => {
  const input = '/reason "Two."\n/tool look {"at":"1"}\n/say Both.\n/tool look {"at":"2"}\n/then\n/say Done.';
  const first = assertCompleted(await create({ input, tools: TOOLS, max_tool_calls: 1 }));
  assert.equal(first.json["svc:tool_calls_dropped"], 1);
  const second = assertCompleted(await answerCalls(first));
  assert.equal(textOf(second), "Done.");
  const [, assistant] = lastBody().messages;
  assert.deepEqual(
    assistant.content.map(({ type }: Loose) => type),
    ["thinking", "tool_use", "text"],
  );
});

test("thinking before a dropped call does not end the replayed round", async () => {
  const input = '/reason "One."\n/tool look {}\n/reason "Two."\n/tool look {}\n/then\n/say Done.';
  const first = assertCompleted(await create({ input, tools: TOOLS, max_tool_calls: 1 }));
  assert.equal(textOf(assertCompleted(await answerCalls(first))), "Done.");
  assert.deepEqual(
    lastBody().messages[1].content.map(({ type }: Loose) => type),
    ["thinking", "tool_use"],
  );
});
