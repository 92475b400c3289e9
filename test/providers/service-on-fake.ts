// The service on a fake of a family's server, with the requests and checks that the families' tests share.
import assert from "node:assert/strict";
import { after, beforeEach } from "node:test";
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import { familyOf } from "../support/family-of.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import type { Reply, Loose } from "../support/http-client.ts";
import { openProviders } from "../support/provider-registry.ts";
import { testModel } from "../support/service-config.ts";
import { TestService } from "../support/service.ts";

export const TOOLS = [
  { type: "function", name: "look", parameters: { type: "object", properties: { at: { type: "string" } } } },
];

export const callsOf = ({ json }: Reply): Loose[] => json.output.filter(({ type }: Loose) => type === "function_call");

export const textsOf = ({ json }: Reply): string[] =>
  json.output.flatMap(({ content = [] }: Loose) => content.map(({ text = "" }: Loose) => text));

interface FakedFamily {
  readonly family: Parameters<typeof familyOf>[0];
  readonly wire: Parameters<typeof FakeProvider.start>[0];
  readonly apiKey: string;
  /** The model of creates that name none. */
  readonly model: string;
  readonly models: readonly CatalogModel[];
}

/**
 * The service of a file, the requests that reach its provider, and its creates. The provider "wrong-key" is the same
 * server with a key that it rejects.
 */
export async function startOnFake({ family, wire, apiKey, model, models }: FakedFamily) {
  const server = await FakeProvider.start(wire);
  const { baseUrl } = server;
  const providers = await openProviders([
    { name: family, family: familyOf(family), baseUrl, apiKey },
    { name: "wrong-key", family: familyOf(family), baseUrl, apiKey: "sk-wrong" },
    { name: "simulated", family: familyOf("simulated"), baseUrl: null, apiKey: null },
  ]);
  const echo = testModel("simulated/echo", { provider: "simulated", upstreamModel: "echo" });
  const service = await TestService.start({ providers, models: [...models, echo] });
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
  const create = (body: object) => service.create({ model, ...body });
  return {
    service,
    calls,
    lastBody: (): Loose => calls().at(-1)?.body,
    create,
    /** Asserts that the response is completed and the provider rejected nothing. */
    assertCompleted(reply: Reply): Reply {
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.json.status, "completed", reply.text);
      for (const { error } of calls()) assert.equal(error, null);
      return reply;
    },
    /** Sends an output for every call of a response. */
    answerCalls: (to: Reply, more: object = {}) =>
      create({
        model: to.json.model,
        previous_response_id: to.json.id,
        input: callsOf(to).map(({ call_id }) => ({ type: "function_call_output", call_id, output: `seen ${call_id}` })),
        ...more,
      }),
  };
}
