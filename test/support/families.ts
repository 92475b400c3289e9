// The four real families and the hosts of their models, each with a strict fake of its provider, for tests of several.
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import type { ProviderEntry } from "../../src/providers/registry.ts";
import { BEDROCK_KEY, bedrockWire, REGION } from "../providers/anthropic/bedrock-server.ts";
import { AZURE_KEY, azureWire } from "../providers/openai/azure-server.ts";
import { CHAT_WIRE } from "./fake-chat.ts";
import { GEMINI_KEY, GEMINI_WIRE } from "./fake-gemini.ts";
import { MESSAGES_KEY, MESSAGES_WIRE } from "./fake-messages.ts";
import { FakeProvider, type Wire } from "./fake-provider.ts";
import { familyOf } from "./family-of.ts";
import { RESPONSES_KEY, RESPONSES_WIRE } from "./fake-responses.ts";
import { VERTEX_PLACE, vertexWire } from "./fake-vertex.ts";
import type { Loose } from "./http-client.ts";
import { testModel } from "./service-config.ts";

/** The facts that the fakes record about one request. */
export interface FamilyCall {
  readonly body: Loose;
  /** The reason why the real server would reject it; null for a request that was served. */
  readonly error: string | null;
}

export interface StartedFamily {
  readonly entry: ProviderEntry;
  /** Every request so far. */
  calls(): readonly FamilyCall[];
  close(): Promise<void>;
}

export interface Family {
  readonly name: string;
  /** The type of its providers. */
  readonly type: Parameters<typeof familyOf>[0];
  /** A model of it that supports every setting and forced calls. */
  readonly model: CatalogModel;
  start(): Promise<StartedFamily>;
}

/** For wires that always send a limit: the default, large enough for every flow. */
const ROOM = { defaultOutputTokens: 8_000 };

export const OPENAI_COMPATIBLE: Family = {
  name: "openai-compatible",
  type: "openai-compatible",
  model: testModel("local/echo", { provider: "local", upstreamModel: "echo", hasEndUserField: false, ...ROOM }),
  start: () => startFake(CHAT_WIRE, { name: "local", family: familyOf("openai-compatible"), apiKey: "secret" }),
};

export const ANTHROPIC: Family = {
  name: "anthropic",
  type: "anthropic",
  model: testModel("anthropic/claude-opus-5", { provider: "anthropic", upstreamModel: "claude-opus-5", ...ROOM }),
  start: () => startFake(MESSAGES_WIRE, { name: "anthropic", family: familyOf("anthropic"), apiKey: MESSAGES_KEY }),
};

export const GEMINI: Family = {
  name: "gemini",
  type: "gemini",
  model: testModel("google/gemini-3.8-flash", {
    provider: "gemini",
    upstreamModel: "gemini-3.8-flash",
    hasEndUserField: false,
    ...ROOM,
  }),
  start: () => startFake(GEMINI_WIRE, { name: "gemini", family: familyOf("gemini"), apiKey: GEMINI_KEY }),
};

export const OPENAI: Family = {
  name: "openai",
  type: "openai",
  model: testModel("openai/gpt-6.1-terra", { provider: "openai", upstreamModel: "gpt-6.1-terra", ...ROOM }),
  start: () => startFake(RESPONSES_WIRE, { name: "openai", family: familyOf("openai"), apiKey: RESPONSES_KEY }),
};

export const FAMILIES: readonly Family[] = [ANTHROPIC, GEMINI, OPENAI, OPENAI_COMPATIBLE];

const AZURE: Family = {
  name: "openai on Azure",
  type: "openai",
  model: testModel("azure/gpt-eu", { provider: "azure", upstreamModel: "gpt-eu", ...ROOM }),
  start: () =>
    startFake(
      azureWire(() => false),
      { name: "azure", family: familyOf("openai"), apiKey: AZURE_KEY, hostSettings: { type: "azure" } },
    ),
};

const BEDROCK: Family = {
  name: "anthropic on Bedrock",
  type: "anthropic",
  model: testModel("bedrock/claude", { provider: "bedrock", upstreamModel: "eu.anthropic.claude-opus-5", ...ROOM }),
  start: () =>
    startFake(
      bedrockWire(() => undefined),
      {
        name: "bedrock",
        family: familyOf("anthropic"),
        apiKey: BEDROCK_KEY,
        hostSettings: { type: "bedrock", region: REGION },
      },
    ),
};

const VERTEX_TOKEN = "token-of-vertex";

function onVertex(provider: string, type: "anthropic" | "gemini", upstreamModel: string): Family {
  const hasEndUserField = type === "anthropic";
  return {
    name: `${type} on Vertex AI`,
    type,
    model: testModel(`${provider}/${upstreamModel}`, { provider, upstreamModel, hasEndUserField, ...ROOM }),
    start: () =>
      startFake(
        vertexWire((token) => token === VERTEX_TOKEN),
        {
          name: provider,
          family: familyOf(type),
          apiKey: null,
          headers: { authorization: `Bearer ${VERTEX_TOKEN}` },
          hostSettings: { type: "vertex", ...VERTEX_PLACE },
        },
      ),
  };
}

/** Each family's models at each host. */
export const HOSTS: readonly Family[] = [
  AZURE,
  BEDROCK,
  onVertex("vertex-claude", "anthropic", "claude-opus-5"),
  onVertex("vertex-gemini", "gemini", "gemini-3.8-flash"),
];

async function startFake(wire: Wire, entry: Omit<ProviderEntry, "baseUrl">): Promise<StartedFamily> {
  const server = await FakeProvider.start(wire);
  return {
    entry: { ...entry, baseUrl: server.baseUrl },
    calls: () => server.calls,
    close: () => server.close(),
  };
}
