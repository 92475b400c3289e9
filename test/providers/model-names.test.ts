// What is sent to models that are known by their names, at servers that reject what they do not know.
import { test } from "node:test";
import assert from "node:assert/strict";
import { CHAT_WIRE } from "../support/fake-chat.ts";
import { testModel } from "../support/service-config.ts";
import { startOnFake, TOOLS } from "./service-on-fake.ts";

const named = (upstreamModel: string, more: object = {}) =>
  testModel(`local/${upstreamModel.replace("/", "-")}`, {
    provider: "openai-compatible",
    upstreamModel,
    hasEndUserField: false,
    ...more,
  });

const REASONING = named("gpt-5.4-mini");
const KIMI = named("moonshotai/kimi-k2-instruct-0905");
const STRICT = named("strict/kimi-k3", { replaysReasoning: false });

const { create, answerCalls, assertCompleted, lastBody } = await startOnFake({
  family: "openai-compatible",
  wire: CHAT_WIRE,
  apiKey: "secret",
  model: REASONING.id,
  models: [REASONING, KIMI, STRICT],
});

test("a reasoning model of OpenAI behind a gateway takes an output limit", async () => {
  const { json } = assertCompleted(await create({ input: "/say Hi.", max_output_tokens: 50 }));
  assert.equal(json.max_output_tokens, 50);
  assert.equal(lastBody().max_completion_tokens, 50);
});

for (const { id } of [KIMI, STRICT]) {
  test(`${id} goes on with its calls and with a second turn`, async () => {
    const input = "/reason Hm.\n/tool look {}\n/then\n/say Done.";
    const first = assertCompleted(await create({ model: id, input, tools: TOOLS }));
    const answered = assertCompleted(await answerCalls(first));
    assertCompleted(await create({ model: id, previous_response_id: answered.json.id, input: "/say And?" }));
  });
}
