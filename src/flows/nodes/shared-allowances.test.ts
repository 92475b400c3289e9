import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Allowance, drawAllowance } from "../../core/access/allowance.ts";
import { createSharedAllowances } from "./shared-allowances.ts";

test("what a node knows of an allowance refills with the time since its last draw", async () => {
  const clock = new FakeClock();
  let row: Allowance | undefined;
  const nodes = {
    drawAllowance: async ({ perMinute, wanted }: { perMinute: number; wanted: number }) => {
      const { allowance, granted, remaining, ...times } = drawAllowance(row, perMinute, clock.monotonicMs(), wanted);
      row = allowance;
      return { granted, left: remaining, ...times };
    },
    returnAllowance: async () => assert.fail("nothing is drawn ahead of 6 a minute"),
  };
  const allowances = createSharedAllowances(clock, nodes as never);
  assert.deepEqual(allowances.look("org_a", "create", 6), { remaining: 6, resetMs: 0 });
  for (let drawn = 0; drawn < 4; drawn++) await allowances.draw("org_a", "create", 6);
  assert.deepEqual(allowances.look("org_a", "create", 6), { remaining: 2, resetMs: 40_000 });
  await clock.advance(25_000);
  assert.deepEqual(allowances.look("org_a", "create", 6), { remaining: 4, resetMs: 15_000 });
  await clock.advance(3_600_000);
  assert.deepEqual(allowances.look("org_a", "create", 6), { remaining: 6, resetMs: 0 });
});
