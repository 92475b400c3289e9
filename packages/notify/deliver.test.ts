import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { NotifyTarget } from "./notify-file.ts";
import { OperatorError } from "../kit/operator-error.ts";
import { startDelivering } from "./deliver.ts";
import { type Delivery, openDeliveryLog } from "./delivery-log.ts";
import type { NoticeEvent } from "./notice.ts";
import { openState } from "./state.ts";

const TARGET: NotifyTarget = {
  name: "ops",
  to: { type: "slack", url: "http://a.test" },
  events: ["key.*"],
  organizations: null,
};
const EVERY_MS = 10_000;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A feed of these many events, and everything that was sent; `fault` lets sending fail. */
function openWorld(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "turngate-notify-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const clock = new FakeClock();
  const events: NoticeEvent[] = [];
  const sent: number[] = [];
  const logged: Delivery[] = [];
  const warnings: string[] = [];
  const world = { fault: null as Error | null, feedFault: null as Error | null, logFault: null as Error | null };
  const path = join(folder, "state.json");
  const start = () =>
    startDelivering(
      {
        feed: {
          async readAfter(id) {
            if (world.feedFault !== null) throw world.feedFault;
            const after = events.filter((event) => event.id > id);
            return { data: after.slice(0, 2), has_more: after.length > 2 };
          },
          newestId: async () => events.at(-1)?.id ?? 0,
        },
        state: openState(path),
        async send(_, event) {
          if (world.fault !== null) throw world.fault;
          sent.push(event.id);
        },
        clock,
        logDelivery(delivery) {
          if (world.logFault !== null) throw world.logFault;
          logged.push(delivery);
        },
        warn: (message) => warnings.push(message),
        everyMs: EVERY_MS,
        giveUpAfterMs: 60_000,
      },
      TARGET,
    );
  const add = (type = "key.create") => {
    const of = { organization: null, organization_name: null, at: 1, message: "m" };
    events.push({ id: events.length + 1, type, ...of });
  };
  /** Lets time pass, and what it wakes come to an end. */
  const advance = async (milliseconds: number) => {
    await clock.advance(milliseconds);
    for (let turns = 0; turns < 20; turns++) {
      // oxlint-disable-next-line no-await-in-loop -- turns of the event loop
      await nextTurn();
    }
  };
  return { folder, path, clock, events, sent, logged, warnings, world, start, add, advance };
}

test("a new target gets what happens from then on, page after page, and only what it wants", async (t) => {
  const { sent, add, start, advance, path } = openWorld(t);
  add();
  const stop = start();
  await advance(0);
  add();
  add("plan.start");
  add();
  add();
  assert.deepEqual(sent, []);
  await advance(EVERY_MS);
  assert.deepEqual(sent, [2, 4, 5]);
  await stop();
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { targets: { ops: { after: 5, failingSinceMs: null } } });
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a restart goes on after the last delivery", async (t) => {
  const { sent, add, start, advance } = openWorld(t);
  const stop = start();
  await advance(0);
  add();
  await advance(EVERY_MS);
  await stop();
  add();
  const stopAgain = start();
  await advance(0);
  assert.deepEqual(sent, [1, 2]);
  await stopAgain();
});

test("a notice that fails is sent again later and later, then dropped; the next one follows", async (t) => {
  const { sent, add, start, advance, world, logged } = openWorld(t);
  const stop = start();
  await advance(0);
  add();
  world.fault = new Error("status 500");
  await advance(EVERY_MS);
  await advance(4999);
  assert.equal(logged.length, 1);
  await advance(1);
  await advance(10_000);
  await advance(20_000);
  assert.deepEqual(
    logged.map(({ outcome, reason, next_attempt_seconds: next }) => [outcome, reason, next]),
    [5, 10, 20, 40].map((next) => ["failed", "status 500", next]),
  );
  await advance(40_000);
  assert.deepEqual(logged.at(-1), {
    target: "ops",
    event: 1,
    type: "key.create",
    outcome: "dropped",
    reason: "status 500",
  });
  world.fault = null;
  add();
  await advance(EVERY_MS);
  assert.deepEqual(sent, [2]);
  await stop();
});

test("a stop does not wait for the next attempt, and how long a notice has failed outlasts a restart", async (t) => {
  const { add, start, advance, world, logged, clock } = openWorld(t);
  const stop = start();
  await advance(0);
  add();
  world.fault = new Error("timeout");
  await advance(EVERY_MS);
  await stop();
  assert.equal(clock.pending, 0);
  await clock.advance(60_000);
  const stopAgain = start();
  await advance(0);
  assert.equal(logged.at(-1)?.outcome, "dropped");
  await stopAgain();
});

test("a feed that cannot be read is a warning, and read again", async (t) => {
  const { sent, add, start, advance, world, warnings } = openWorld(t);
  const stop = start();
  await advance(0);
  add();
  world.feedFault = new Error("the management interface cannot be reached");
  await advance(EVERY_MS);
  world.feedFault = null;
  await advance(2 * EVERY_MS);
  assert.deepEqual(warnings, ["ops: the management interface cannot be reached"]);
  assert.deepEqual(sent, [1]);
  await stop();
});

test("a state that is none is an error that says what to do", (t) => {
  const { folder } = openWorld(t);
  const path = join(folder, "other.json");
  writeFileSync(path, "{}");
  assert.throws(() => openState(path), /is no state of turngate notify; remove it/);
});

test("a delivery that cannot be logged is a warning, and is not sent again", async (t) => {
  const { sent, add, start, advance, world, warnings } = openWorld(t);
  const stop = start();
  await advance(0);
  add();
  world.logFault = new Error("no space left on device");
  await advance(EVERY_MS);
  await advance(10 * EVERY_MS);
  assert.deepEqual(sent, [1]);
  assert.deepEqual(warnings, ["ops: the log of deliveries cannot be written: no space left on device"]);
  await stop();
});

test("a log of deliveries that cannot be written is an error when it is opened", (t) => {
  const { folder } = openWorld(t);
  assert.throws(
    () => openDeliveryLog(join(folder, "nowhere", "log"), () => 0),
    (error) =>
      error instanceof OperatorError &&
      /nowhere\/log can't be written \(no such file or directory\)/.test(error.message),
  );
});

test("the log of deliveries is a line each, for the operator alone", (t) => {
  const { folder, clock } = openWorld(t);
  const path = join(folder, "log");
  const log = openDeliveryLog(path, () => clock.nowMs());
  log({ target: "ops", event: 1, type: "key.create", outcome: "delivered" });
  log({
    target: "ops",
    event: 2,
    type: "key.create",
    outcome: "failed",
    reason: "status 500",
    next_attempt_seconds: 5,
  });
  const lines = readFileSync(path, "utf8").trim().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as Delivery).event),
    [1, 2],
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
