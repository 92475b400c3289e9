// The official client as the README configures it, and the service that it talks to, on every provider in turn.
import { after, before, describe } from "node:test";
import OpenAI, { type ClientOptions } from "openai";
import type { ServiceSettings } from "../../support/service-config.ts";
import { TestService } from "../../support/service.ts";
import { PROVIDERS, type ProviderUnderTest, type StartedProvider } from "../providers.ts";

/** One Idempotency-Key for each call, the same for its automatic retries. The client supports it but leaves it off. */
export class Gateway extends OpenAI {
  protected override idempotencyHeader = "Idempotency-Key";
}

/** The subjects of a flow, set before its tests run. */
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

/** More than the longest of the service's pauses before it asks a provider again, milliseconds. */
const PAUSE_MS = 5000;

/** Advances the clock whenever the service waits before it asks a provider again, and only then: no time limit passes on a busy machine. */
export async function throughRetries<T>({ service }: Given, work: PromiseLike<T>): Promise<T> {
  const pauses = () => service.logged.filter(({ event }) => event === "provider.retry").length;
  let passed = pauses();
  const ticking = setInterval(() => {
    if (pauses() === passed) return;
    passed = pauses();
    void service.clock.advance(PAUSE_MS);
  }, 1);
  try {
    return await work;
  } finally {
    clearInterval(ticking);
  }
}

/** The object that the service sent, without the fields that the client adds. */
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
