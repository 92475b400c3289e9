// The providers that every client's flows run on. A family joins by its line in PROVIDERS.
import type { FailureCode } from "../../src/contract/failures.ts";
import type { CatalogModel } from "../../src/core/catalog.ts";
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import { createProviderRegistry, type ProviderEntry } from "../../src/providers/registry.ts";
import { SIMULATED_MODELS } from "../../src/providers/simulated/models.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { createIds } from "../../src/system/ids.ts";
import { FakeChatServer } from "../support/fake-chat-server.ts";
import { GEMINI_KEY, GEMINI_WIRE } from "../support/fake-gemini.ts";
import { FakeMessagesServer, MESSAGES_KEY } from "../support/fake-messages-server.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { RESPONSES_KEY, RESPONSES_WIRE } from "../support/fake-responses.ts";
import { testModel } from "../support/service.ts";

export interface StartedProvider {
  readonly providers: ProviderRegistry;
  readonly models: readonly CatalogModel[];
  close(): Promise<void>;
}

/** A provider under test: its models obey the directives of docs/simulated-models.md. */
export interface ProviderUnderTest {
  readonly name: string;
  /** A model that supports every setting. */
  readonly model: string;
  /** What the family's wire has words for. */
  readonly has: {
    readonly reasoningItems: boolean;
    readonly citations: boolean;
    /** Whether `content_filter` is an end of its own; else it is a refusal without a word. */
    readonly contentFilter: boolean;
    /** What becomes of the words of a refusal: a part of their own, ordinary text before an empty one, or nothing. */
    readonly refusalWords: "part" | "text" | "none";
    /** Whether calls come in pieces, so that one can be cut; else whole or not at all. */
    readonly callsInPieces: boolean;
    /** Failures that `/fail` can bring about before the first word, and after it. */
    readonly failures: readonly FailureCode[];
    readonly lateFailures: readonly FailureCode[];
  };
  start(): Promise<StartedProvider>;
}

const COMMON_FAILURES: readonly FailureCode[] = [
  "provider_client_error",
  "provider_error",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_unavailable",
];

const simulated: ProviderUnderTest = {
  name: "simulated",
  model: "simulated/echo",
  has: {
    reasoningItems: true,
    citations: true,
    contentFilter: true,
    refusalWords: "part",
    callsInPieces: true,
    failures: [...COMMON_FAILURES, "end_user_blocked", "canceled"],
    lateFailures: [...COMMON_FAILURES, "end_user_blocked", "canceled"],
  },
  async start() {
    const providers = createRegistry({ name: "simulated", type: "simulated", baseUrl: null, apiKey: null });
    return { providers, models: SIMULATED_MODELS, close: () => providers.close() };
  },
};

const openAiCompatible: ProviderUnderTest = {
  name: "openai-compatible",
  model: "local/echo",
  has: {
    reasoningItems: true,
    citations: false,
    contentFilter: false,
    refusalWords: "part",
    callsInPieces: true,
    failures: [...COMMON_FAILURES, "end_user_blocked"],
    lateFailures: COMMON_FAILURES,
  },
  async start() {
    const server = await FakeChatServer.start();
    const { baseUrl } = server;
    const providers = createRegistry({ name: "local", type: "openai-compatible", baseUrl, apiKey: "secret" });
    return {
      providers,
      models: [testModel("local/echo", { provider: "local", upstreamModel: "echo", hasEndUserField: false })],
      async close() {
        await providers.close();
        await server.close();
      },
    };
  },
};

/** Where a limit is always sent, the default is one: room for every flow. */
const SENT = { defaultOutputTokens: 8_000 };

const anthropic: ProviderUnderTest = {
  name: "anthropic",
  model: "anthropic/claude-opus-5",
  has: {
    reasoningItems: true,
    citations: false,
    contentFilter: false,
    refusalWords: "text",
    callsInPieces: true,
    failures: COMMON_FAILURES,
    lateFailures: COMMON_FAILURES,
  },
  async start() {
    const server = await FakeMessagesServer.start();
    return startReal(server, { name: "anthropic", type: "anthropic", apiKey: MESSAGES_KEY }, [
      testModel("anthropic/claude-opus-5", { provider: "anthropic", upstreamModel: "claude-opus-5", ...SENT }),
    ]);
  },
};

const gemini: ProviderUnderTest = {
  name: "gemini",
  model: "google/gemini-3.8-flash",
  has: {
    reasoningItems: true,
    citations: false,
    contentFilter: false,
    refusalWords: "none",
    callsInPieces: false,
    failures: COMMON_FAILURES,
    lateFailures: COMMON_FAILURES,
  },
  async start() {
    const server = await FakeProvider.start(GEMINI_WIRE);
    return startReal(server, { name: "gemini", type: "gemini", apiKey: GEMINI_KEY }, [
      testModel("google/gemini-3.8-flash", {
        provider: "gemini",
        upstreamModel: "gemini-3.8-flash",
        ...SENT,
        hasEndUserField: false,
      }),
    ]);
  },
};

const openAi: ProviderUnderTest = {
  name: "openai",
  model: "openai/gpt-6.1-terra",
  has: {
    reasoningItems: true,
    citations: true,
    contentFilter: true,
    refusalWords: "part",
    callsInPieces: true,
    failures: [...COMMON_FAILURES, "end_user_blocked", "canceled"],
    lateFailures: [...COMMON_FAILURES, "end_user_blocked", "canceled"],
  },
  async start() {
    const server = await FakeProvider.start(RESPONSES_WIRE);
    return startReal(server, { name: "openai", type: "openai", apiKey: RESPONSES_KEY }, [
      testModel("openai/gpt-6.1-terra", { provider: "openai", upstreamModel: "gpt-6.1-terra" }),
    ]);
  },
};

export const PROVIDERS: readonly ProviderUnderTest[] = [simulated, openAiCompatible, anthropic, gemini, openAi];

/** A family at a fake of its provider. */
function startReal(
  server: { readonly baseUrl: string; close(): Promise<void> },
  entry: Omit<ProviderEntry, "baseUrl">,
  models: readonly CatalogModel[],
): StartedProvider {
  const providers = createRegistry({ ...entry, baseUrl: server.baseUrl });
  return {
    providers,
    models,
    async close() {
      await providers.close();
      await server.close();
    },
  };
}

/** Real time: the paces of the models are milliseconds. */
function createRegistry(entry: ProviderEntry): ProviderRegistry {
  return createProviderRegistry([entry], { clock: createSystemClock(), ids: createIds() });
}
