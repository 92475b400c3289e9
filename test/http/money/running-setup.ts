// Responses of many tokens, on a service whose extensions of holds are recorded and can be delayed.
import type { HoldExtension } from "../../../src/ports/store/funds.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { PRICED_MODELS, PRICES } from "../../support/money.ts";
import { type Act, USAGE } from "../../support/scripted-provider.ts";
import { testModel } from "../../support/service-config.ts";
import { serviceForFile, type TestService } from "../../support/service.ts";

/** The extensions of holds so far, and what each waits for. */
interface Holds {
  delay: Promise<unknown>;
  extensions: HoldExtension[];
}

/** The service of a file. */
export async function startRecorded(): Promise<{ service: TestService; holds: Holds }> {
  const holds: Holds = { delay: Promise.resolve(), extensions: [] };
  const service = await serviceForFile({
    models: [
      ...PRICED_MODELS,
      testModel("test/long", { prices: PRICES, maxOutputTokens: 100_000, contextWindow: 1_000_000 }),
    ],
    wrapStore: (store) => ({
      ...store,
      extendHold: async (query) => {
        await holds.delay;
        const extension = await store.extendHold(query);
        holds.extensions.push(extension);
        return extension;
      },
    }),
  });
  return { service, holds };
}

/** A stream of tokens of four characters, each a tenth of a credit, in parts of ten; the store may run in between. */
export function* tokens(count: number): Generator<Act> {
  const part: ProviderPart = { type: "text", text: "four".repeat(10) };
  for (let sent = 0; sent < count; sent += 10) {
    yield [part];
    yield new Promise((resolve) => setImmediate(resolve));
  }
}

export const usageOf = (input: number, output: number) => ({
  ...USAGE,
  input_tokens: input,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: output,
  total_tokens: input + output,
});

export const ends = (output: number): Act => [
  { type: "usage", usage: usageOf(1, output) },
  { type: "finished", incompleteReason: null },
];

export const never = new Promise<never>(() => {});

export const FAR = 100_000;
