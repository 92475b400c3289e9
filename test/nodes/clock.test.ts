// Nodes use the database's clock, whatever the clocks of their machines say. See docs/reliability.md, F-20
import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres } from "../../src/store/postgres/open.ts";
import { TESTS } from "../support/actor.ts";
import { databases } from "./databases.ts";

test("a node's time is the database's, in whole milliseconds, whatever its own clock says", async (context) => {
  const server = await databases.server();
  const url = server.url(await databases.create());
  for (const skewMs of [-600_000, 0, 600_001]) {
    let reads = 0;
    // So that the time between two reads is an odd or an even number of milliseconds.
    const nowMs = () => Date.now() + skewMs + reads++;
    const clock = { nowMs, monotonicMs: () => 0, after: () => () => {} };
    const { store, nodes, clock: storeClock } = await openPostgres({ url, clock });
    context.after(() => store.close());
    for (let time = 0; time < 4; time++) {
      await nodes?.join({ name: "n", version: "0", leaseMs: 12_000 });
      assert.ok(Number.isInteger(storeClock.nowMs()));
      assert.ok(Math.abs(storeClock.nowMs() - Date.now()) < 30_000, "by the database's clock");
      const id = `org_${skewMs}_${time}`;
      await store.createOrganization({ by: TESTS, id, name: id, createdAt: 1 });
    }
  }
});
