// Responses of the simulated models, for their tests.
import assert from "node:assert/strict";
import type { Prompt, PromptItem } from "../../src/core/response/prompt.ts";
import type { Ids } from "../../src/ports/ids.ts";
import { UpstreamError, type ProviderPart } from "../../src/ports/provider.ts";
import {
  type FoldedParts,
  createManualClock,
  foldParts,
  sampleModel,
  samplePrompt,
  sampleTool,
} from "./provider-samples.ts";
import { createSimulatedProvider } from "../../src/providers/simulated/provider.ts";

interface Ran {
  readonly folded: FoldedParts;
  readonly parts: readonly ProviderPart[];
  readonly failure: UpstreamError | null;
}

export async function run(prompt: Prompt, model = "echo"): Promise<Ran> {
  const provider = createSimulatedProvider(
    { name: "simulated", baseUrl: null, apiKey: null },
    { clock: createManualClock(), ids: {} as Ids },
  );
  const parts: ProviderPart[] = [];
  const call = {
    model: sampleModel({ id: `simulated/${model}`, upstreamModel: model }),
    prompt,
    thread: "t",
    cacheKey: () => "key",
    signal: new AbortController().signal,
  };
  let failure: UpstreamError | null = null;
  try {
    await provider.run(call, (ready) => void parts.push(...ready));
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    failure = error;
  }
  return { folded: foldParts(parts), parts, failure };
}

/** The output for a text; throws when the round failed. */
export async function ask(
  input: string | readonly PromptItem[],
  changes?: Partial<Prompt>,
  model?: string,
): Promise<FoldedParts> {
  const { folded, failure } = await run(samplePrompt(input, changes), model);
  assert.equal(failure, null);
  return folded;
}

const WEATHER = sampleTool("get_weather", {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
});

const CLOCK = sampleTool("get_time");

export const tools = [WEATHER, CLOCK];

export const calls = (folded: FoldedParts) => folded.calls.map((call) => [call.name, call.arguments]);

export const round = (callId: string, output: string): PromptItem[] => [
  { type: "call", callId, name: "get_time", arguments: "{}" },
  { type: "result", callId, name: "get_time", output },
];
