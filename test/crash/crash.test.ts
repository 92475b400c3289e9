// The first cycles of the crash test; `npm run test:crash` runs many (docs/decisions/tests.md, G-01).
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCrashes } from "./crash-run.ts";

/**
 * A seed whose crashes leave responses sent to the provider but not settled, begun but not acknowledged, and settled
 * without a reply.
 */
const SEED = 130_267;

test("a killed service keeps its promises, calls no provider twice and leaves no response stuck", async () => {
  const lines: string[] = [];
  const figures = await runCrashes({
    cycles: 3,
    seed: SEED,
    clients: 8,
    // Other tests run at the same time, on however busy a machine; the long version checks that a restart takes 2
    // seconds at most.
    startMsMax: 60_000,
    lateMs: 60_000,
    report: (line) => lines.push(line),
  });
  assert.deepEqual(figures.violations, [], lines.join("\n"));
  // Otherwise the crashes did not happen as planned.
  assert.deepEqual(Object.keys(figures.deaths).toSorted(), ["begin-committed", "provider-sent", "settle-committed"]);
  assert.ok(figures.repeats > 0 && figures.runFailed > 0, lines.join("\n"));
});
