import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildCatalog } from "./catalog.ts";
import { readConfig } from "./config.ts";
import { OperatorError } from "./operator-error.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-prices-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "turngate.yaml");

async function catalogOf(source: string) {
  writeFileSync(file, source);
  return buildCatalog(await readConfig({ TURNGATE_CONFIG: file }));
}

test("a model's prices and tiers are counted in nano-credits of what the file says a credit is worth", async () => {
  const catalog = await catalogOf(`
credits: { usd_per_credit: 0.1 }
models:
  - id: simulated/priced
    prices:
      input: 1
      cached_input: 0.1
      output: 5
      tiers:
        - { above_input_tokens: 200000, input: 2, output: 7.5 }
`);
  const credit = 1_000_000_000;
  const expected = {
    input: 10 * credit,
    cached_input: credit,
    cache_write: 10 * credit,
    output: 50 * credit,
    tiers: [
      {
        above_input_tokens: 200_000,
        input: 20 * credit,
        cached_input: 20 * credit,
        cache_write: 20 * credit,
        output: 75 * credit,
      },
    ],
  };
  const pricing = catalog.pricingOf("simulated/priced");
  assert.deepEqual(pricing?.snapshot, expected);
  assert.deepEqual(JSON.parse(pricing.text), expected);
  assert.equal(catalog.pricingOf("simulated/echo"), null);
});

for (const [name, source, expected] of [
  [
    "a tier without its threshold",
    "models:\n  - id: simulated/x\n    prices:\n      tiers: [{ input: 1 }]\n",
    /turngate\.yaml:4: models\[0\]\.prices\.tiers\[0\].*above_input_tokens/,
  ],
  [
    "more than a credit a token",
    "models: [{ id: simulated/x, prices: { output: 10001 } }]\n",
    /price of simulated\/x is too high: output at 10001 USD/,
  ],
] as const) {
  test(`${name} is refused`, async () => {
    await assert.rejects(catalogOf(source), (error) => error instanceof OperatorError && expected.test(error.message));
  });
}
