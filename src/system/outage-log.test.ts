import assert from "node:assert/strict";
import { test } from "node:test";
import type { Log } from "../ports/log.ts";
import { StoreError } from "../ports/store/store.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { summarizeOutages } from "./outage-log.ts";

function openLog() {
  const lines: unknown[] = [];
  const write =
    (level: string) =>
    (...line: unknown[]) =>
      void lines.push([level, ...line]);
  const base = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") } as Log;
  const clock = new FakeClock();
  return { lines, clock, log: summarizeOutages(base, clock) };
}

const outage = new StoreError("unavailable", "The database does not answer.");

test("an outage costs a line of each event a second, with the number of those that were left out", async () => {
  const { lines, clock, log } = openLog();
  for (let request = 0; request < 5; request++) {
    log.warn("request.failed", { request_id: `req_${request}` }, outage);
    log.error("auth.unavailable", {}, outage);
  }
  assert.deepEqual(lines, [
    ["warn", "request.failed", { request_id: "req_0" }, outage],
    ["error", "auth.unavailable", {}, outage],
  ]);
  await clock.advance(1000);
  assert.deepEqual(lines.slice(2), [
    ["warn", "request.failed", { repeated: 4 }],
    ["error", "auth.unavailable", { repeated: 4 }],
  ]);
  log.warn("request.failed", { request_id: "req_5" }, outage);
  await clock.advance(1000);
  assert.deepEqual(lines.slice(4), [["warn", "request.failed", { repeated: 1 }]]);
});

test("the next outage is written with its error", async () => {
  const { lines, clock, log } = openLog();
  log.warn("request.failed", { request_id: "req_1" }, outage);
  await clock.advance(1000);
  log.warn("request.failed", { request_id: "req_2" }, outage);
  assert.deepEqual(lines.at(-1), ["warn", "request.failed", { request_id: "req_2" }, outage]);
  assert.equal(lines.length, 2);
});

test("every other line is written as it is", () => {
  const { lines, log } = openLog();
  const fault = new StoreError("failed", "A statement failed.");
  for (let request = 0; request < 3; request++) {
    log.error("request.failed", {}, fault);
    log.warn("node.retry", { request });
    log.info("node.joined");
  }
  assert.equal(lines.length, 9);
});
