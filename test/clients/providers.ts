// The providers on which the flows of every client run. A family joins by its line in PROVIDERS.
import type { FailureCode } from "../../src/contract/failures.ts";
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import { type ProviderEntry } from "../../src/providers/registry.ts";
import { SIMULATED_MODELS } from "../../src/providers/simulated/models.ts";
import { familyOf } from "../support/family-of.ts";
import { ANTHROPIC, type Family, GEMINI, OPENAI, OPENAI_COMPATIBLE } from "../support/families.ts";
import { openProviders } from "../support/provider-registry.ts";

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
  /** The features of the family's wire. */
  readonly has: {
    readonly reasoningItems: boolean;
    readonly citations: boolean;
    /** Whether `content_filter` is a finish reason of its own; otherwise it is a refusal without text. */
    readonly contentFilter: boolean;
    /** How the text of a refusal arrives: as a part of its own, as ordinary text before an empty refusal, or not at all. */
    readonly refusalWords: "part" | "text" | "none";
    /** Whether calls arrive in pieces, so that one can be cut; otherwise whole or not at all. */
    readonly callsInPieces: boolean;
    /** Failures that `/fail` can cause before the first output, and after it. */
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

/** The wires of OpenAI have all of it. */
const COMPLETE: ProviderUnderTest["has"] = {
  reasoningItems: true,
  citations: true,
  contentFilter: true,
  refusalWords: "part",
  callsInPieces: true,
  failures: [...COMMON_FAILURES, "end_user_blocked", "canceled"],
  lateFailures: [...COMMON_FAILURES, "end_user_blocked", "canceled"],
};

/** What the other families lack. */
const REDUCED: ProviderUnderTest["has"] = {
  ...COMPLETE,
  citations: false,
  contentFilter: false,
  failures: COMMON_FAILURES,
  lateFailures: COMMON_FAILURES,
};

const simulated: ProviderUnderTest = {
  name: "simulated",
  model: "simulated/echo",
  has: COMPLETE,
  async start() {
    const providers = await createRegistry({
      name: "simulated",
      family: familyOf("simulated"),
      baseUrl: null,
      apiKey: null,
    });
    return { providers, models: SIMULATED_MODELS, close: () => providers.close() };
  },
};

const openAiCompatible: ProviderUnderTest = {
  name: "openai-compatible",
  model: OPENAI_COMPATIBLE.model.id,
  has: { ...REDUCED, failures: [...COMMON_FAILURES, "end_user_blocked"] },
  start: () => startFamily(OPENAI_COMPATIBLE),
};

const anthropic: ProviderUnderTest = {
  name: "anthropic",
  model: ANTHROPIC.model.id,
  has: { ...REDUCED, refusalWords: "text" },
  start: () => startFamily(ANTHROPIC),
};

const gemini: ProviderUnderTest = {
  name: "gemini",
  model: GEMINI.model.id,
  has: { ...REDUCED, refusalWords: "none", callsInPieces: false },
  start: () => startFamily(GEMINI),
};

const openAi: ProviderUnderTest = {
  name: "openai",
  model: OPENAI.model.id,
  has: COMPLETE,
  start: () => startFamily(OPENAI),
};

export const PROVIDERS: readonly ProviderUnderTest[] = [simulated, openAiCompatible, anthropic, gemini, openAi];

/** A family with a fake of its provider. */
async function startFamily({ model, start }: Family): Promise<StartedProvider> {
  const family = await start();
  const providers = await createRegistry(family.entry);
  return {
    providers,
    models: [model],
    async close() {
      await providers.close();
      await family.close();
    },
  };
}

/** In real time: the models pause for milliseconds only. */
function createRegistry(entry: ProviderEntry): Promise<ProviderRegistry> {
  return openProviders([entry]);
}
