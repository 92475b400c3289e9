// Histories: the oracle predicts the outcome of any sequence of requests about conversations and responses, and no sequence of accepted
// requests leaves a history that cannot be continued. @spec endpoints/post-responses, states-and-transitions
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "../support/fast-check.ts";
import { testModel } from "../support/service-config.ts";
import { TestService } from "../support/service.ts";
import { HistoryProgram } from "./history-program.ts";
import type { Window } from "./history-session.ts";
import { type Action, programs } from "./history-programs.ts";
import { SEED } from "./provider-scripts.ts";

/** Use thousands after a change to histories; each takes a fifth of a second. */
const RUNS = Number(process.env["LAW_RUNS"] ?? 25);

/** Usable: 3,000 − 100 − 15 − 2,000 = 885 tokens. */
const SMALL = { contextWindow: 3_000, defaultOutputTokens: 100, maxOutputTokens: 500 };
const WINDOW = { usable: 885 * 4, padding: ` ${"x".repeat(600)}` };

const service = await TestService.start();
const small = await TestService.start({ models: [testModel("test/all", SMALL)] });
after(() => Promise.all([service.close(), small.close()]));

async function run(on: TestService, window: Window | null, actions: readonly Action[]): Promise<void> {
  const program = await HistoryProgram.open(on, window);
  try {
    for (const action of actions) await program.act(action);
    await program.letAllGo();
    await program.readAll();
    await program.goOnEverywhere();
    await program.readAll();
    const { differences } = await on.store.reconcile({ organizationId: program.organizationId });
    assert.deepEqual(differences, []);
  } finally {
    await program.close();
  }
}

test("any program of requests: replies, prompts and lists are the oracle's, and every history can be continued", async () => {
  const property = fc.asyncProperty(programs, (actions) => run(service, null, actions));
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
});

test("a truncated prompt is a part of the whole one that every provider accepts, and every history can be continued", async () => {
  const property = fc.asyncProperty(programs, (actions) => run(small, WINDOW, actions));
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
});
