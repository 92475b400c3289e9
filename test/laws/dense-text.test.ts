// Simultaneous responses cannot overspend a budget, however many tokens their text has. docs/money.md (What a response
// reserves)
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Loose } from "../support/http-client.ts";
import { credits, PRICED_MODELS, Purse } from "../support/money.ts";
import { serviceForFile } from "../support/service.ts";

const service = await serviceForFile({ models: PRICED_MODELS });

const SAMPLES = JSON.parse(
  readFileSync(new URL("../support/token-samples.json", import.meta.url), "utf8"),
) as readonly { readonly name: string; readonly text: string; readonly tokens: readonly number[] }[];

const TURNS = 12;
const OUTPUT_TOKENS = 16;

for (const { name, text, tokens } of SAMPLES) {
  test(`${name}: turns at once spend no more than the budget, by the densest tokenizer`, async () => {
    const input = Math.max(...tokens);
    // As many as cost what half of the responses cost, a tenth of a credit a token.
    const limit = ((input + OUTPUT_TOKENS) * TURNS) / 20;
    const purse = await Purse.open(service, 100_000, [[{ scope: "organization", id: null, period: "total" }, limit]]);
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: OUTPUT_TOKENS,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + OUTPUT_TOKENS,
    };
    const finished = { type: "finished", incompleteReason: null } as const;
    const script = [[{ type: "text", text: "ok" } as const, { type: "usage", usage } as const, finished]];
    service.provider.plays(...Array.from({ length: TURNS }, () => script));
    const replies = await Promise.all(
      Array.from({ length: TURNS }, () => purse.create({ input: text, max_output_tokens: OUTPUT_TOKENS })),
    );
    service.provider.forgets();
    const completed = replies.filter(({ json }: Loose) => json.status === "completed").length;
    assert.ok(completed >= 2 && completed < TURNS, `${completed} completed`);
    const [budget] = await service.store.listBudgets({ organizationId: purse.organizationId });
    assert.ok((budget?.spentNano ?? 0n) <= credits(limit), `${budget?.spentNano} of ${credits(limit)}`);
  });
}
