// LangChain in the configuration of docs/clients.md, on every provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";
import { onEveryProvider } from "../openai/gateway.ts";

const lookUp = tool(({ word }) => `found ${word}`, {
  name: "look_up",
  description: "Looks a word up",
  schema: z.object({ word: z.string() }),
});

const ROUNDS = '/say Let me see.\n/tool look_up {"word":"a"}\n/then\n/tool look_up {"word":"b"}\n/then';

/** The id to continue from. */
function idOf(message: AIMessage): string {
  const id: unknown = message.response_metadata["id"];
  assert.ok(typeof id === "string");
  return id;
}

onEveryProvider((given) => {
  const connect = (more: { readonly conversation?: string } = {}) =>
    new ChatOpenAI({
      useResponsesApi: true,
      model: given.model,
      apiKey: given.service.key,
      configuration: { baseURL: `${given.service.baseUrl}/v1` },
      modelKwargs: { instructions: "Answer the clerk's way.", ...more },
      maxRetries: 0,
    });

  test("a single response", async () => {
    const reply = await connect().invoke("Hello there");
    assert.equal(reply.text, "Hello there");
    assert.equal(reply.response_metadata["status"], "completed");
    assert.ok(reply.usage_metadata !== undefined);
  });

  test("several responses by previous_response_id, instructions with each", async () => {
    const chat = connect();
    const first = await chat.invoke("One");
    const second = await chat.invoke("Two", { previous_response_id: idOf(first) });
    const told = await chat.invoke("/history", { previous_response_id: idOf(second) });
    assert.deepEqual(told.text.split("\n"), [
      "instructions: Answer the clerk's way.",
      "1. user: One",
      "2. assistant: One",
      "3. user: Two",
      "4. assistant: Two",
      "5. user: /history",
    ]);
  });

  test("tools, their results by previous_response_id", async () => {
    const chat = connect().bindTools([lookUp]);
    let reply = await chat.invoke([new HumanMessage(ROUNDS)]);
    const called: unknown[] = [];
    while (reply.tool_calls !== undefined && reply.tool_calls.length > 0) {
      called.push(...reply.tool_calls.map(({ args }) => args["word"]));
      const results = await Promise.all(
        reply.tool_calls.map(async (call) => {
          const message: ToolMessage = await lookUp.invoke({ ...call, type: "tool_call" });
          return message;
        }),
      );
      reply = await chat.invoke(results, { previous_response_id: idOf(reply) });
    }
    assert.deepEqual(called, ["a", "b"]);
    assert.equal(reply.text, "look_up returned: found b");
  });

  test("text, piece by piece", async () => {
    const pieces: string[] = [];
    for await (const chunk of await connect().stream("/stream 30")) pieces.push(chunk.text);
    assert.ok(pieces.length > 1);
    assert.match(pieces.join(""), /^1 2 3 .* 30 $/);
  });

  test("an Idempotency-Key, where invoke and where stream look for it", async () => {
    const chat = connect();
    const keyed = (key: string) => {
      const headers = { "Idempotency-Key": `${key} by langchain on ${given.provider.name}` };
      return { options: { headers }, headers };
    };
    const invoked = [await chat.invoke("Once", keyed("invoked")), await chat.invoke("Once", keyed("invoked"))].map(
      idOf,
    );
    assert.equal(invoked[0], invoked[1]);
    const streamed: unknown[] = [];
    for (const _ of [1, 2]) {
      for await (const { response_metadata } of await chat.stream("Once", keyed("streamed"))) {
        if ("id" in response_metadata) streamed.push(response_metadata["id"]);
      }
    }
    assert.equal(new Set(streamed).size, 1);
  });

  test("several responses in a conversation", async () => {
    const conversation = await given.client.conversations.create();
    const chat = connect({ conversation: conversation.id });
    await chat.invoke("One");
    const told = await chat.invoke("/history");
    assert.match(told.text, /1\. user: One\n2\. assistant: One\n3\. user: \/history$/);
  });

  test("structured output", async () => {
    const schema = z.object({ city: z.string(), days: z.number().int() });
    const planner = connect().withStructuredOutput(schema, { name: "plan", method: "jsonSchema", strict: true });
    assert.deepEqual(await planner.invoke("Plan"), { city: "text", days: 0 });
  });
});
