import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../../contract/limits.ts";
import { type HousekeepingServices, startHousekeeping } from "./housekeeping.ts";

const HOUR_MS = 3_600_000;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Housekeeping whose erasure ends on the test's command, with the calls to the store and the log lines. */
function openWorld() {
  const asked: string[] = [];
  const errors: unknown[] = [];
  const timers: { milliseconds: number; callback: () => void }[] = [];
  let batch = Promise.withResolvers<{ erased: number; more: boolean }>();
  const services: HousekeepingServices = {
    clock: {
      nowMs: () => 0,
      monotonicMs: () => 0,
      after(milliseconds, callback) {
        const timer = { milliseconds, callback };
        timers.push(timer);
        return () => timers.splice(timers.indexOf(timer), 1);
      },
    },
    log: { debug() {}, info() {}, warn() {}, error: (_event, _fields, error) => errors.push(error) },
    limits: DEFAULT_LIMITS,
    nodes: null,
    store: {
      forgetExpired() {
        asked.push("forget");
        return Promise.resolve({ claims: 0, secrets: 0 });
      },
      async eraseDeleted() {
        asked.push("erase");
        const ended = await batch.promise;
        batch = Promise.withResolvers();
        return ended;
      },
    },
  };
  return {
    services,
    asked,
    errors,
    timers,
    endBatch: (more: boolean) => batch.resolve({ erased: 1, more }),
    failBatch: (error: Error) => batch.reject(error),
  };
}

test("a stop waits for the current batch, and no other follows", async () => {
  const { services, asked, timers, endBatch } = openWorld();
  const stop = startHousekeeping(services);
  await nextTurn();
  let hasStopped = false;
  const stopped = (async () => {
    await stop();
    hasStopped = true;
  })();
  await nextTurn();
  assert.equal(hasStopped, false);
  endBatch(true);
  await stopped;
  assert.deepEqual(asked, ["forget", "erase"]);
  assert.deepEqual(timers, []);
});

test("batches continue until nothing is left, and the next round comes an hour later, also after a failure", async () => {
  const { services, asked, errors, timers, endBatch, failBatch } = openWorld();
  const stop = startHousekeeping(services);
  await nextTurn();
  endBatch(true);
  await nextTurn();
  const failure = new Error("the disk");
  failBatch(failure);
  await nextTurn();
  assert.deepEqual(errors, [failure]);
  assert.deepEqual(
    timers.map(({ milliseconds }) => milliseconds),
    [HOUR_MS],
  );
  await stop();
  assert.deepEqual(timers, []);
  assert.deepEqual(asked, ["forget", "erase", "erase"]);
});
