// The OpenAI Agents SDK in the configuration of docs/clients.md, on every provider.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { z } from "zod";
import { onEveryProvider } from "../openai/gateway.ts";

const lookUp = tool({
  name: "look_up",
  description: "Looks a word up",
  parameters: z.object({ word: z.string() }),
  execute: ({ word }) => `found ${word}`,
});

const ROUNDS = '/say Let me see.\n/tool look_up {"word":"a"}\n/then\n/tool look_up {"word":"b"}\n/then';

onEveryProvider((given) => {
  const { model } = given;
  let runner: Runner;
  before(() => {
    // For one of several services, the equivalent of setDefaultOpenAIClient and setTracingDisabled.
    runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: given.client }), tracingDisabled: true });
  });
  const agent = new Agent({ name: "Clerk", model, instructions: "Answer the clerk's way.", tools: [lookUp] });
  const converse = async () => (await given.client.conversations.create()).id;

  test("a single response", async () => {
    const result = await runner.run(agent, "Hello there", { stream: true });
    await result.completed;
    assert.equal(result.finalOutput, "Hello there");
  });

  test("several responses in a conversation, instructions with each", async () => {
    const conversationId = await converse();
    for (const input of ["One", "Two"]) {
      const result = await runner.run(agent, input, { conversationId, stream: true });
      await result.completed;
      assert.equal(result.finalOutput, input);
    }
    const told = await runner.run(agent, "/history", { conversationId, stream: true });
    await told.completed;
    assert.deepEqual(told.finalOutput?.split("\n"), [
      "instructions: Answer the clerk's way.",
      "1. user: One",
      "2. assistant: One",
      "3. user: Two",
      "4. assistant: Two",
      "5. user: /history",
    ]);
  });

  test("several responses by previous_response_id, not streamed", async () => {
    const first = await runner.run(agent, "One");
    const second = await runner.run(agent, "/history", { previousResponseId: first.lastResponseId ?? "" });
    assert.match(String(second.finalOutput), /1\. user: One\n2\. assistant: One\n3\. user: \/history$/);
  });

  test("tools, run by the SDK round by round", async () => {
    const result = await runner.run(agent, ROUNDS, { conversationId: await converse(), stream: true });
    await result.completed;
    assert.equal(result.finalOutput, "look_up returned: found b");
  });

  test("a run that leaves its calls without outputs continues with the next question and svc:unanswered_calls", async () => {
    const conversationId = await converse();
    const hasty = new Agent({ name: "Clerk", model, tools: [lookUp], toolUseBehavior: "stop_on_first_tool" });
    const left = await runner.run(hasty, '/tool look_up {"word":"a"}', { conversationId, stream: true });
    await left.completed;
    assert.equal(left.finalOutput, "found a");
    const rejected = await runner.run(hasty, "Hello", { conversationId, stream: true });
    await assert.rejects(rejected.completed, /svc:unanswered_calls/);
    const dropping = new Agent({
      name: "Clerk",
      model,
      tools: [lookUp],
      modelSettings: { providerData: { "svc:unanswered_calls": "drop" } },
    });
    const next = await runner.run(dropping, "Hello", { conversationId, stream: true });
    await next.completed;
    assert.equal(next.finalOutput, "Hello");
  });

  test("tools without a conversation, as long as the model says nothing before it calls", async () => {
    const result = await runner.run(agent, '/tool look_up {"word":"a"}\n/then', { stream: true });
    await result.completed;
    assert.match(String(result.finalOutput), /returned: found a$/);
    const talking = await runner.run(agent, ROUNDS, { stream: true });
    await assert.rejects(talking.completed, /previous_response_id/);
  });

  test("text, piece by piece", async () => {
    const result = await runner.run(agent, "/stream 30", { conversationId: await converse(), stream: true });
    const pieces: string[] = [];
    for await (const piece of result.toTextStream()) pieces.push(piece);
    assert.ok(pieces.length > 1);
    assert.equal(pieces.join(""), result.finalOutput);
    assert.match(String(result.finalOutput), /^1 2 3 .* 30 $/);
  });

  test("an output type", async () => {
    const outputType = z.object({ city: z.string(), days: z.number().int() });
    const typed = new Agent({ name: "Planner", model, outputType });
    const result = await runner.run(typed, "Plan", { conversationId: await converse(), stream: true });
    await result.completed;
    assert.deepEqual(result.finalOutput, { city: "text", days: 0 });
  });
});
