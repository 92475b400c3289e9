// Law: whatever is asked of conversations and responses, in whatever order, the oracle knows what comes of it, and no sequence of
// accepted requests leaves a history that can't be continued. @spec endpoints/post-responses, states-and-transitions
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { TestService } from "../support/service.ts";
import { HistoryProgram } from "./history-program.ts";
import { programs } from "./history-programs.ts";
import { SEED } from "./provider-scripts.ts";

/** Thousands when something about histories has changed; each takes a fifth of a second. */
const RUNS = Number(process.env["LAW_RUNS"] ?? 25);

const service = await TestService.start();
after(() => service.close());

test("any program of requests: answers, prompts and lists are the oracle's, and every history goes on", async () => {
  await fc.assert(
    fc.asyncProperty(programs, async (actions) => {
      const program = await HistoryProgram.open(service);
      try {
        for (const action of actions) await program.act(action);
        await program.letAllGo();
        await program.readAll();
        await program.goOnEverywhere();
        await program.readAll();
        const { differences } = await service.store.reconcile({ organizationId: program.organizationId });
        assert.deepEqual(differences, []);
      } finally {
        await program.close();
      }
    }),
    { numRuns: RUNS, seed: SEED },
  );
});
