// The first cycles of the crash test; `npm run test:crash` runs many (docs/reliability.md, G-01).
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCrashes } from "./crash-run.ts";

/** Its deaths: with turns asked and unsettled, with turns begun and unheard of, with turns settled and unanswered. */
const SEED = 130_267;

test("a service that is killed keeps what it said, asks no provider twice, and leaves nothing stuck", async () => {
  const lines: string[] = [];
  const figures = await runCrashes({
    cycles: 3,
    seed: SEED,
    clients: 8,
    // The other tests run beside it: that a restart takes 2 seconds at most is for the long version to tell.
    startMsMax: 10_000,
    report: (line) => lines.push(line),
  });
  assert.deepEqual(figures.violations, [], lines.join("\n"));
  // Else the crashes were none.
  assert.deepEqual(Object.keys(figures.deaths).toSorted(), ["begin-committed", "provider-sent", "settle-committed"]);
  assert.ok(figures.repeats > 0 && figures.runFailed > 0, lines.join("\n"));
});
