// The service on a fake of Anthropic's server, with the requests and checks of its tests.
import assert from "node:assert/strict";
import { after, beforeEach } from "node:test";
import { ANTHROPIC_MODELS } from "../../../src/providers/anthropic/models.ts";
import { createProviderRegistry } from "../../../src/providers/registry.ts";
import { createSystemClock } from "../../../src/system/clock.ts";
import { createIds } from "../../../src/system/ids.ts";
import { familyOf } from "../../support/family-of.ts";
import { MESSAGES_KEY, MESSAGES_WIRE } from "../../support/fake-messages.ts";
import { FakeProvider } from "../../support/fake-provider.ts";
import type { Reply, Loose } from "../../support/http-client.ts";
import { TestService, testModel } from "../../support/service.ts";

export const MODEL = "anthropic/claude-opus-5-5";

export const TOOLS = [
  { type: "function", name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } },
];

export const textOf = ({ json }: Reply) =>
  json.output.flatMap(({ content = [] }: Loose) => content.map(({ text = "" }: Loose) => text)).join("|");

export const codesOf = ({ json }: Reply) => (json["svc:warnings"] ?? []).map(({ code }: Loose) => code);

export const callsOf = ({ json }: Reply) => json.output.filter(({ type }: Loose) => type === "function_call");

/** The service of a file, the requests that reach its provider, and its creates. */
export async function startOnAnthropic() {
  const server = await FakeProvider.start(MESSAGES_WIRE);

  const providers = await createProviderRegistry(
    [
      { name: "anthropic", family: familyOf("anthropic"), baseUrl: server.baseUrl, apiKey: MESSAGES_KEY },
      { name: "wrong-key", family: familyOf("anthropic"), baseUrl: server.baseUrl, apiKey: "sk-ant-wrong" },
      { name: "simulated", family: familyOf("simulated"), baseUrl: null, apiKey: null },
    ],
    { clock: createSystemClock(), ids: createIds() },
  );

  const service = await TestService.start({
    providers,
    models: [
      ...ANTHROPIC_MODELS,
      testModel("anthropic/older", {
        provider: "anthropic",
        upstreamModel: "claude-haiku-4-5-20251001",
        thinking: { budgetTokens: 2_000 },
      }),
      testModel("wrong-key/claude", { provider: "wrong-key", upstreamModel: "claude-opus-5" }),
      testModel("simulated/echo", { provider: "simulated", upstreamModel: "echo" }),
    ],
  });

  after(async () => {
    await service.close();
    await providers.close();
    await server.close();
  });

  let asked = 0;

  beforeEach(() => {
    asked = server.calls.length;
  });

  /** The requests that reached the provider in this test. */
  const calls = () => server.calls.slice(asked);

  const lastBody = (): Loose => calls().at(-1)?.body;

  const create = (body: object) => service.create({ model: MODEL, ...body });

  /** Asserts that the response is completed and the provider rejected nothing. */
  function assertCompleted(reply: Reply): Reply {
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.json.status, "completed", reply.text);
    for (const { error } of calls()) assert.equal(error, null);
    return reply;
  }

  /** Sends an output for every call of a response. */
  const answerCalls = (to: Reply, more: object = {}) =>
    create({
      model: to.json.model,
      previous_response_id: to.json.id,
      input: callsOf(to).map(({ call_id: callId }: Loose) => ({
        type: "function_call_output",
        call_id: callId,
        output: `seen ${callId}`,
      })),
      ...more,
    });
  return { service, calls, lastBody, create, assertCompleted, answerCalls };
}
