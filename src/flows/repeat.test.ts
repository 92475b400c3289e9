import assert from "node:assert/strict";
import { test } from "node:test";
import { repeat } from "./repeat.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Repeated work whose runs end on the test's command; timers run on command too. */
function open(startsAtOnce: boolean) {
  const timers: (() => void)[] = [];
  const runs: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const after = (_: number, callback: () => void) => {
    timers.push(callback);
    return () => timers.splice(timers.indexOf(callback), 1);
  };
  const work = (): Promise<void> => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  };
  const stop = repeat({ after }, { everyMs: 7, startsAtOnce, work, onError: (error) => errors.push(error) });
  return { timers, runs, errors, stop };
}

test("the next run comes a pause after the end of the last one, whether it failed or not", async () => {
  const { timers, runs, errors, stop } = open(false);
  assert.deepEqual([timers.length, runs.length], [1, 0]);
  timers.shift()?.();
  await nextTurn();
  assert.deepEqual([timers.length, runs.length], [0, 1]);
  runs[0]?.reject("no");
  await nextTurn();
  assert.deepEqual([timers.length, runs.length, errors], [1, 1, ["no"]]);
  await stop();
  assert.deepEqual([timers.length, runs.length], [0, 1]);
});

test("a stop waits for the run that is under way, and for no pause after it", async () => {
  const { timers, runs, stop } = open(true);
  assert.equal(runs.length, 1);
  const stopped = stop();
  runs[0]?.resolve();
  await stopped;
  assert.deepEqual([timers.length, runs.length], [0, 1]);
});
