// The AI SDK in the configuration of docs/clients.md, on every provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import {
  generateText,
  isStepCount,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  type Tool,
  tool,
  wrapLanguageModel,
} from "ai";
import { z } from "zod";
import { onEveryProvider } from "../openai/gateway.ts";
import { hoistInstructions } from "./hoist-instructions.ts";

const tools = {
  look_up: tool({
    description: "Looks a word up",
    inputSchema: z.object({ word: z.string() }),
    execute: async ({ word }) => `found ${word}`,
  }),
};

const ROUNDS = '/say Let me see.\n/tool look_up {"word":"a"}\n/then\n/tool look_up {"word":"b"}\n/then';

onEveryProvider((given) => {
  const connect = (): LanguageModel => {
    const openai = createOpenAI({ baseURL: `${given.service.baseUrl}/v1`, apiKey: given.service.key });
    return wrapLanguageModel({ model: openai.responses(given.model), middleware: hoistInstructions });
  };
  const converse = async () => {
    const { id } = await given.client.conversations.create();
    return { openai: { conversation: id } };
  };

  test("a single response", async () => {
    const result = streamText({ model: connect(), prompt: "Hello there" });
    assert.equal(await result.text, "Hello there");
    assert.equal(await result.finishReason, "stop");
    assert.ok(((await result.usage).totalTokens ?? 0) > 0);
  });

  test("several responses in a conversation, instructions with each", async () => {
    const model = connect();
    const providerOptions = await converse();
    const instructions = "Answer the clerk's way.";
    for (const prompt of ["One", "Two"]) {
      assert.equal(await streamText({ model, instructions, prompt, providerOptions }).text, prompt);
    }
    const told = await streamText({ model, instructions, prompt: "/history", providerOptions }).text;
    assert.deepEqual(told.split("\n"), [
      "instructions: Answer the clerk's way.",
      "1. user: One",
      "2. assistant: One",
      "3. user: Two",
      "4. assistant: Two",
      "5. user: /history",
    ]);
  });

  test("tools, run by the SDK step by step", async () => {
    const providerOptions = await converse();
    const result = streamText({ model: connect(), tools, stopWhen: isStepCount(5), prompt: ROUNDS, providerOptions });
    assert.equal(await result.text, "look_up returned: found b");
    const steps = await result.steps;
    assert.deepEqual(
      steps.map((step) => step.toolResults.map(({ output }) => output)),
      [["found a"], ["found b"], []],
    );
    assert.equal(steps[0]?.text, "Let me see.");
  });

  test("tools by previousResponseId, which the SDK repeats on every step", async () => {
    const model = connect();
    const first = await generateText({ model, prompt: "One" });
    const previousResponseId = first.providerMetadata?.["openai"]?.["responseId"];
    assert.ok(typeof previousResponseId === "string");
    const second = await generateText({
      model,
      tools,
      stopWhen: isStepCount(5),
      prompt: ROUNDS,
      providerOptions: { openai: { previousResponseId } },
    });
    assert.equal(second.text, "look_up returned: found b");
  });

  test("a tool that waits for a person's approval", async () => {
    const erase = tool({ inputSchema: z.object({}), needsApproval: true, execute: async () => "erased" });
    const settings = { model: connect(), tools: { erase }, providerOptions: await converse() };
    const messages: ModelMessage[] = [{ role: "user", content: "/say First:\n/tool erase {}\n/then" }];
    const asked = await generateText({ ...settings, messages });
    const request = asked.content.find(({ type }) => type === "tool-approval-request");
    assert.ok(request?.type === "tool-approval-request");
    const approval = { type: "tool-approval-response" as const, approvalId: request.approvalId, approved: true };
    messages.push(...asked.response.messages, { role: "tool", content: [approval] });
    assert.equal((await generateText({ ...settings, messages })).text, "erase returned: erased");
  });

  test("a tool that the browser runs, its result in a call of its own", async () => {
    const ask: Tool = tool({ inputSchema: z.object({}) });
    const settings = { model: connect(), tools: { ask }, providerOptions: await converse() };
    const called = await generateText({ ...settings, prompt: "/say One question:\n/tool ask {}\n/then" });
    const [call] = called.toolCalls;
    assert.ok(call !== undefined);
    const { toolCallId, toolName } = call;
    const result = {
      type: "tool-result" as const,
      toolCallId,
      toolName,
      output: { type: "text" as const, value: "Yes." },
    };
    const messages: ModelMessage[] = [...called.response.messages, { role: "tool", content: [result] }];
    assert.equal((await generateText({ ...settings, messages })).text, "ask returned: Yes.");
  });

  test("text, piece by piece", async () => {
    const result = streamText({ model: connect(), prompt: "/stream 30" });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    assert.ok(pieces.length > 1);
    assert.match(pieces.join(""), /^1 2 3 .* 30 $/);
  });

  test("an object", async () => {
    const schema = z.object({ city: z.string(), days: z.number().int() });
    const result = streamText({ model: connect(), prompt: "Plan", output: Output.object({ schema }) });
    assert.deepEqual(await result.output, { city: "text", days: 0 });
  });

  test("a refusal and a cut-off reply have their own finish reasons", async () => {
    const rejected = await generateText({ model: connect(), prompt: "/say No.\n/refuse I won't." });
    assert.equal(rejected.finishReason, "content-filter");
    const cut = await generateText({ model: connect(), prompt: "/stream 500", maxOutputTokens: 16 });
    assert.equal(cut.finishReason, "length");
  });
});
