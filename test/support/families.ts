// The four real families, each at a strict fake of its provider: what tests of several families share.
import type { CatalogModel } from "../../src/core/catalog.ts";
import type { ProviderEntry } from "../../src/providers/registry.ts";
import { CHAT_WIRE } from "./fake-chat.ts";
import { GEMINI_KEY, GEMINI_WIRE } from "./fake-gemini.ts";
import { MESSAGES_KEY, MESSAGES_WIRE } from "./fake-messages.ts";
import { FakeProvider, type Wire } from "./fake-provider.ts";
import { RESPONSES_KEY, RESPONSES_WIRE } from "./fake-responses.ts";
import type { Loose } from "./http-client.ts";
import { testModel } from "./service.ts";

/** What the fakes tell of one request. */
export interface FamilyCall {
  readonly body: Loose;
  /** Why the real server would have refused it; null for one that was served. */
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
  /** A model of it that takes every setting and can be forced to call. */
  readonly model: CatalogModel;
  start(): Promise<StartedFamily>;
}

/** Where a limit is always sent, the default is one: room for every flow. */
const ROOM = { defaultOutputTokens: 8_000 };

export const OPENAI_COMPATIBLE: Family = {
  name: "openai-compatible",
  model: testModel("local/echo", { provider: "local", upstreamModel: "echo", hasEndUserField: false, ...ROOM }),
  start: () => startFake(CHAT_WIRE, { name: "local", type: "openai-compatible", apiKey: "secret" }),
};

export const ANTHROPIC: Family = {
  name: "anthropic",
  model: testModel("anthropic/claude-opus-5", { provider: "anthropic", upstreamModel: "claude-opus-5", ...ROOM }),
  start: () => startFake(MESSAGES_WIRE, { name: "anthropic", type: "anthropic", apiKey: MESSAGES_KEY }),
};

export const GEMINI: Family = {
  name: "gemini",
  model: testModel("google/gemini-3.8-flash", {
    provider: "gemini",
    upstreamModel: "gemini-3.8-flash",
    hasEndUserField: false,
    ...ROOM,
  }),
  start: () => startFake(GEMINI_WIRE, { name: "gemini", type: "gemini", apiKey: GEMINI_KEY }),
};

export const OPENAI: Family = {
  name: "openai",
  model: testModel("openai/gpt-6.1-terra", { provider: "openai", upstreamModel: "gpt-6.1-terra", ...ROOM }),
  start: () => startFake(RESPONSES_WIRE, { name: "openai", type: "openai", apiKey: RESPONSES_KEY }),
};

export const FAMILIES: readonly Family[] = [ANTHROPIC, GEMINI, OPENAI, OPENAI_COMPATIBLE];

async function startFake(wire: Wire, entry: Omit<ProviderEntry, "baseUrl">): Promise<StartedFamily> {
  const server = await FakeProvider.start(wire);
  return {
    entry: { ...entry, baseUrl: server.baseUrl },
    calls: () => server.calls,
    close: () => server.close(),
  };
}
