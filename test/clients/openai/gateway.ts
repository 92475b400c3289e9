// The official client as the README configures it, and the service that it talks to, on every provider in turn.
import { after, before, describe } from "node:test";
import OpenAI, { type ClientOptions } from "openai";
import { type ServiceSettings, TestService } from "../../support/service.ts";
import { PROVIDERS, type ProviderUnderTest, type StartedProvider } from "../providers.ts";

/** One Idempotency-Key a call, the same over its automatic retries: the client has it built in and leaves it off. */
export class Gateway extends OpenAI {
  protected override idempotencyHeader = "Idempotency-Key";
}

/** What a flow works with; filled in before its tests run. */
export interface Given {
  readonly provider: ProviderUnderTest;
  readonly model: string;
  service: TestService;
  client: Gateway;
  /** Another client of the same service. */
  connect(options?: ClientOptions): Gateway;
}

/** Runs the flows on each provider. */
export function onEveryProvider(flows: (given: Given) => void, settings: ServiceSettings = {}): void {
  for (const provider of PROVIDERS) describe(`on ${provider.name}`, () => withGateway(provider, flows, settings));
}

/** Starts the service on a provider for the tests that `flows` defines. */
export function withGateway(
  provider: ProviderUnderTest,
  flows: (given: Given) => void,
  settings: ServiceSettings = {},
): void {
  let started: StartedProvider;
  const given: Given = {
    provider,
    model: provider.model,
    service: undefined as unknown as TestService,
    client: undefined as unknown as Gateway,
    connect: (options) => connect(given.service, options),
  };
  before(async () => {
    started = await provider.start();
    given.service = await TestService.start({ ...settings, providers: started.providers, models: started.models });
    given.client = connect(given.service);
  });
  after(async () => {
    await given.service.close();
    await started.close();
  });
  flows(given);
}

/** A client of a service; nothing is retried unless a test says so. */
export function connect(service: TestService, options: ClientOptions = {}): Gateway {
  return new Gateway({ baseURL: `${service.baseUrl}/v1`, apiKey: service.key, maxRetries: 0, ...options });
}

/** Lets the time pass that the service waits before it asks a provider again. */
export async function throughRetries<T>({ service }: Given, work: PromiseLike<T>): Promise<T> {
  const ticking = setInterval(() => void service.clock.advance(100), 5);
  try {
    return await work;
  } finally {
    clearInterval(ticking);
  }
}

/** What the service sent, without what the client adds to it. */
export function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !ADDED.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, bare(inner)]));
}

const ADDED = new Set(["output_text", "output_parsed", "parsed", "parsed_arguments", "_request_id"]);

/** A response once it has settled. */
export async function untilSettled(client: OpenAI, id: string): Promise<OpenAI.Responses.Response> {
  for (;;) {
    const response = await client.responses.retrieve(id);
    if (response.usage !== undefined) return response;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
