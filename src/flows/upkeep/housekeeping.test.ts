import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS } from "../../base/time.ts";
import { DEFAULT_LIMITS, type ServiceLimits } from "../../contract/limits.ts";
import { NO_POLICY, NO_RULES, type Organization } from "../../ports/store/accounts.ts";
import { type HousekeepingServices, startHousekeeping } from "./housekeeping.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const ORGANIZATION: Omit<Organization, "id" | "retentionDays"> = {
  name: "acme",
  plan: true,
  paymentMethod: true,
  suspended: false,
  creditsNano: 0n,
  heldNano: 0n,
  policy: NO_POLICY,
  limits: {
    createPerMinute: null,
    retrievePerMinute: null,
    deletePerMinute: null,
    tokensPerMinute: null,
    openStreams: null,
    concurrentResponses: null,
  },
  rules: NO_RULES,
  createdAt: 1,
  deletedAtMs: null,
  erasedAtMs: null,
};

interface Settings {
  readonly organizations?: readonly (readonly [id: string, retentionDays: number | null])[];
  readonly limits?: Partial<ServiceLimits>;
}

/** Housekeeping whose erasure ends on the test's command, with the calls to the store and the log lines. */
function openWorld({ organizations = [], limits = {} }: Settings = {}) {
  const asked: string[] = [];
  const errors: unknown[] = [];
  const counted: unknown[] = [];
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
    limits: { ...DEFAULT_LIMITS, ...limits },
    nodes: null,
    telemetry: { contentDeleted: (deleted) => counted.push(deleted) },
    store: {
      forgetExpired() {
        asked.push("forget");
        return Promise.resolve({ claims: 0, secrets: 0, events: 0, rejections: 0, failures: 0 });
      },
      async listOrganizations() {
        return organizations.map(([id, retentionDays]) => ({ ...ORGANIZATION, id, retentionDays }));
      },
      async expireHistories({ organizationId, olderThanDays, after }) {
        asked.push(`expire ${organizationId} ${olderThanDays} ${after}`);
        return { expired: 2, next: after === 0 ? 7 : null };
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
    counted,
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

test("histories expire in pieces before erasure, by the shorter retention; without one they stay", async () => {
  const organizations = [
    ["org_none", null],
    ["org_week", 7],
  ] as const;
  const roundOf = async (limits: Partial<ServiceLimits>) => {
    const { services, asked, counted, endBatch } = openWorld({ organizations, limits });
    const stop = startHousekeeping(services);
    await nextTurn();
    endBatch(false);
    await stop();
    return { asked, counted };
  };
  const erased = { histories: 0, erasedRows: 1 };
  const week = ["expire org_week 7 0", "expire org_week 7 7"];
  const without = await roundOf({});
  assert.deepEqual(without.asked, ["forget", ...week, "erase"]);
  assert.deepEqual(without.counted, [{ histories: 4, erasedRows: 0 }, erased]);
  const both = await roundOf({ retention_days: 30 });
  const month = ["expire org_none 30 0", "expire org_none 30 7"];
  assert.deepEqual(both.asked, ["forget", ...month, ...week, "erase"]);
  assert.deepEqual(both.counted, [{ histories: 4, erasedRows: 0 }, { histories: 4, erasedRows: 0 }, erased]);
});
