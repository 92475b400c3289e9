// A provider and a server that answers it byte by byte, for the tests of the connection between them.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { FamilyEntry } from "../../src/providers/family.ts";
import { createOpenAiCompatibleProvider } from "../../src/providers/openai-compatible/provider.ts";
import { createManualClock, sampleModel, samplePrompt } from "../support/provider-samples.ts";
import type { UpstreamErrorCode } from "../../src/providers/wire/error-codes.ts";
import type { Ids } from "../../src/ports/ids.ts";
import { type Provider, UpstreamError, type ProviderPart } from "../../src/ports/provider.ts";
import {
  DONE_EVENT,
  FINISH_EVENT,
  startWireServer,
  textEvent,
  USAGE_EVENT,
  type WireRequest,
  type WireServer,
} from "./wire-server.ts";

interface Bench {
  readonly server: WireServer;
  readonly provider: Provider;
  readonly clock: ReturnType<typeof createManualClock>;
}

/**
 * A server that follows the script, and a provider that uses it. Both close when the test ends; no connection may be
 * left.
 */
export async function setUp(context: TestContext, script: (request: WireRequest) => void): Promise<Bench> {
  const server = await startWireServer(script);
  const clock = createManualClock();
  const provider = createProvider(server.url, clock);
  context.after(async () => {
    await provider.close();
    await server.closed();
    await server.close();
    assert.equal(clock.pending, 0, "no timer is left");
  });
  return { server, provider, clock };
}

export function createProvider(
  baseUrl: string,
  clock = createManualClock(),
  more: Pick<FamilyEntry, "headers" | "timeoutSeconds"> = {},
): Provider {
  const ids = { mintCallId: () => "call_minted" } as Ids;
  return createOpenAiCompatibleProvider({ name: "local", baseUrl, apiKey: "sk-secret", ...more }, { clock, ids });
}

interface Ran {
  readonly parts: ProviderPart[];
  /** Number of parts in each call of receive. */
  readonly batches: number[];
  readonly failure: UpstreamError | null;
}

/** Runs a turn; a failure is a value. */
export async function run(
  provider: Provider,
  signal = new AbortController().signal,
  listen?: () => void,
  text = "Hi",
): Promise<Ran> {
  const parts: ProviderPart[] = [];
  const batches: number[] = [];
  try {
    const call = { model: sampleModel(), prompt: samplePrompt(text), thread: "t", cacheKey: () => "key", signal };
    await provider.run(call, (ready) => {
      parts.push(...ready);
      batches.push(ready.length);
      listen?.();
    });
    return { parts, batches, failure: null };
  } catch (error) {
    if (error instanceof UpstreamError) return { parts, batches, failure: error };
    throw error;
  }
}

export function assertFailure(ran: Ran, code: UpstreamErrorCode, certainlyNotRun: boolean): UpstreamError {
  assert.ok(ran.failure !== null, "it failed");
  assert.deepEqual([ran.failure.code, ran.failure.certainlyNotRun], [code, certainlyNotRun], ran.failure.message);
  assert.ok(!ran.failure.message.includes("sk-secret"));
  return ran.failure;
}

export const WHOLE = textEvent("Hel") + textEvent("lo") + FINISH_EVENT + USAGE_EVENT + DONE_EVENT;
