// Law: the rows of usage add up to the total and to the ledger, however they are grouped, whichever responses ran and
// however they ended. docs/management.md (Usage)
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../src/base/time.ts";
import fc from "../support/fast-check.ts";
import { USAGE_GROUPINGS } from "../../src/contract/money.ts";
import { readUsageGroupings } from "../../src/core/money/usage-groupings.ts";
import { managedForFile } from "../manage/managed-service.ts";
import type { Loose } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import { PRICED_MODELS, Purse } from "../support/money.ts";
import { type Act, fails, USAGE } from "../support/scripted-provider.ts";

const RUNS = 12;
const FIGURES = [
  "responses",
  "input_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
];
const GROUPINGS = [
  ...USAGE_GROUPINGS,
  ...USAGE_GROUPINGS.flatMap((one) => USAGE_GROUPINGS.map((other) => `${one},${other}`)),
  "model,key,day",
  "member,model,month",
];
/** Hours pass between responses, over the days on which clocks are changed. */
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"];

interface DrawnResponse {
  /** Two keys of an organization of one's own each: one of a member, one of nobody. */
  readonly organization: 0 | 1;
  readonly isOwned: boolean;
  readonly model: string;
  readonly tokens: number;
  readonly end: "completed" | "failed" | "incomplete" | "cancelled";
  /** Hours that pass before it. */
  readonly hours: number;
}

const turnOf: fc.Arbitrary<DrawnResponse> = fc.record({
  organization: fc.constantFrom(0 as const, 1 as const),
  isOwned: fc.boolean(),
  model: fc.constantFrom("test/priced", "test/tiered", "test/all"),
  tokens: fc.integer({ min: 1, max: 40 }),
  end: fc.constantFrom("completed" as const, "failed" as const, "incomplete" as const, "cancelled" as const),
  hours: fc.constantFrom(0, 0, 1, 5, 24, 700),
});

const managed = await managedForFile({ models: PRICED_MODELS });

test("the rows of every grouping add up to the total, the totals to that of all, and both to the ledger", async () => {
  const { service } = managed;
  await fc.assert(
    fc.asyncProperty(fc.array(turnOf, { minLength: 1, maxLength: 8 }), async (turns) => {
      const purses = [await Purse.open(service, 100_000), await Purse.open(service, 100_000)] as const;
      const loose = [
        (await service.newKey(purses[0].organizationId)).secret,
        (await service.newKey(purses[1].organizationId)).secret,
      ];
      const earlier = await read("/usage", "");
      for (const { organization, isOwned, ...turn } of turns) {
        const key = isOwned ? purses[organization].key : (loose[organization] ?? "");
        await service.clock.advance(turn.hours * HOUR_MS);
        await run(key, turn);
      }
      let charged = 0n;
      for (const { organizationId } of purses) {
        charged += await assertAdded(`/organizations/${organizationId}/usage`, organizationId);
        const { differences } = await service.store.reconcile({ organizationId });
        assert.deepEqual(differences, []);
      }
      const all = await assertAdded("/usage", null);
      assert.equal(all - toNano(earlier[0].credits), charged);
    }),
    { numRuns: RUNS },
  );
});

async function read(path: string, by: string): Promise<Loose[]> {
  const zone = ZONES[GROUPINGS.indexOf(by) % ZONES.length] ?? "UTC";
  // By month and in a zone a range is needed; nothing was used before that day or after the other.
  const query = by === "" ? "" : `?by=${by}&from=2026-01-01&to=2029-12-31&zone=${zone}`;
  const { status, json, text } = await managed.ask(managed.operator, "GET", `${path}${query}`);
  assert.equal(status, 200, text);
  return json.data;
}

/** Asserts that the rows of each grouping add up to the total, and the total to the ledger; returns its credits. */
async function assertAdded(path: string, organizationId: string | null): Promise<bigint> {
  const [total] = await read(path, "");
  for (const by of GROUPINGS) {
    if (readUsageGroupings(by, organizationId === null ? "platform" : "organization") === null) continue;
    const rows = await read(path, by);
    for (const figure of FIGURES) {
      const sum = rows.reduce((added, row) => added + row[figure], 0);
      assert.equal(sum, total[figure], `${figure} by ${by}`);
    }
    for (const figure of ["credits", "saved"] as const)
      assert.equal(sumNano(rows, figure), toNano(total[figure]), `${figure} by ${by}`);
    const names = rows.map((row) => JSON.stringify(by.split(",").map((grouping) => row[grouping])));
    assert.equal(new Set(names).size, names.length, `a row for each ${by}`);
  }
  return toNano(total.credits);
}

function sumNano(rows: readonly Loose[], figure: "credits" | "saved"): bigint {
  return rows.reduce((added, row) => added + toNano(row[figure]), 0n);
}

/** Credits are exact to a billionth. */
function toNano(credits: number): bigint {
  return BigInt(Math.round(credits * 1e9));
}

async function run(
  key: string,
  { model, tokens, end }: Pick<DrawnResponse, "model" | "tokens" | "end">,
): Promise<void> {
  const { service } = managed;
  const usage: Act = [{ type: "usage", usage: { ...USAGE, output_tokens: tokens, total_tokens: 10 + tokens } }];
  const text: Act = [{ type: "text", text: "x ".repeat(tokens) }];
  const finished = (incompleteReason: string | null): Act => [{ type: "finished", incompleteReason }];
  const scripts: Record<DrawnResponse["end"], readonly Act[]> = {
    completed: [text, usage, finished(null)],
    incomplete: [text, usage, finished("max_output_tokens")],
    failed: [text, usage, fails("provider_error")],
    cancelled: [text, usage, new Promise(() => {})],
  };
  service.provider.plays(scripts[end]);
  const body = { model, input: "Hello", max_output_tokens: 100, stream: true };
  const stream = await LiveStream.open(service, body, { key });
  if (end === "cancelled") {
    await stream.sees("response.output_text.delta");
    await service.request("POST", `/v1/responses/${stream.id}/cancel`, { key });
  }
  await stream.closed;
  assert.equal(stream.events.at(-1)?.data.response?.status, end, stream.text);
}
