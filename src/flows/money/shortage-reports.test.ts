import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Shortage } from "../../ports/store/funds.ts";
import { createShortageReports } from "./shortage-reports.ts";

const AMOUNTS = { heldNano: 0n, ownNano: 0n, neededNano: 1n };
const CREDITS: Shortage = { kind: "credits", creditsNano: 0n, ...AMOUNTS };
const budget = (scope: "key" | "response", id: string | null): Shortage => {
  return { kind: "budget", scope, id, period: "day", limitNano: 1n, spentNano: 1n, ...AMOUNTS };
};

function open() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const warnings: string[] = [];
  const world = { fault: null as Error | null };
  const report = createShortageReports({
    clock,
    log: { debug() {}, info() {}, warn: (event) => warnings.push(event), error() {} },
    store: {
      async reportShortage({ organizationId, shortage }) {
        asked.push(`${organizationId} ${shortage.kind === "budget" ? shortage.id : "credits"}`);
        if (world.fault !== null) throw world.fault;
      },
    },
  });
  return { clock, asked, warnings, world, report };
}

test("the store is asked once a minute for each budget and each balance", async () => {
  const { clock, asked, report } = open();
  for (let index = 0; index < 100; index++) {
    report("org_a", budget("key", "key_1"));
    report("org_a", budget("key", "key_2"));
    report("org_a", CREDITS);
    report("org_b", CREDITS);
  }
  const each = ["org_a key_1", "org_a key_2", "org_a credits", "org_b credits"];
  assert.deepEqual(asked, each);
  await clock.advance(60_000);
  report("org_a", CREDITS);
  assert.deepEqual(asked, [...each, "org_a credits"]);
});

test("the limit of a single response is not reported", () => {
  const { asked, report } = open();
  report("org_a", budget("response", null));
  assert.deepEqual(asked, []);
});

test("a report that the store rejects is logged, and the next one is not held back", async () => {
  const { asked, warnings, world, report } = open();
  world.fault = new Error("away");
  report("org_a", CREDITS);
  await new Promise(setImmediate);
  report("org_a", CREDITS);
  assert.deepEqual([asked.length, warnings[0]], [2, "shortage.unreported"]);
});
