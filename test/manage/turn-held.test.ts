// What the log of turns says was held for a turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loose } from "../support/http-client.ts";
import { USAGE } from "../support/scripted-provider.ts";
import { testModel } from "../support/service-config.ts";
import { managedForFile } from "./managed-service.ts";

const managed = await managedForFile({
  models: [testModel("test/priced", { prices: { input: 1, cached_input: 1, cache_write: 1, output: 1 } })],
});
const { organizationId } = await managed.service.newOrganization();
const { secret: key } = await managed.service.newKey(organizationId);

async function turnOf(body: object): Promise<Loose> {
  const { json } = await managed.service.create({ model: "test/priced", input: "Hi", ...body }, { key });
  return (await managed.ask(managed.operator, "GET", `/organizations/${organizationId}/turns/${String(json.id)}`)).json;
}

const amountsOf = ({ transfers }: Loose): Record<string, number> =>
  Object.fromEntries(transfers.map(({ kind, amount }: Loose) => [kind, amount]));

test("a hold covers the charge: what a settlement adds to it counts, what it gives back does not lessen it", async () => {
  const usual = await turnOf({});
  const { hold, release = 0 } = amountsOf(usual);
  assert.ok(release > 0);
  assert.equal(usual.held, hold);

  const output = 1_000_000;
  managed.service.provider.plays([
    [
      { type: "usage", usage: { ...USAGE, output_tokens: output, total_tokens: USAGE.input_tokens + output } },
      { type: "finished", incompleteReason: null },
    ],
  ]);
  const longer = await turnOf({});
  const { hold: first = 0, extend = 0, shortfall = 0 } = amountsOf(longer);
  assert.ok(extend > 0);
  assert.equal(longer.held, Math.round((first + extend + shortfall) * 1e6) / 1e6);
  assert.equal(longer.held, longer.credits);
});
