import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS } from "../../contract/limits.ts";
import type { Services } from "../../ports/services.ts";
import type { Runs } from "../run/runs.ts";
import { createLostResponses } from "./lost-responses.ts";

/**
 * The lost responses of a node with these responses in the store, of which these run here. The wait of those whose
 * name ends in `late` is over.
 */
function open(stored: readonly string[], running: readonly string[]) {
  const done: string[] = [];
  let nowMs = 0;
  const services = {
    nodes: { listRunning: async () => stored.map((id) => ({ id, createdAt: 1 })) },
    store: {
      withdrawResponse: async ({ responseId, waitMs }: { responseId: string; waitMs: number }) => {
        assert.equal(waitMs, 90_000);
        return !responseId.endsWith("late") && done.push(`withdrawn ${responseId}`) > 0;
      },
      settleResponse: async ({ responseId, end }: { responseId: string; end: { error: { code: string } } }) =>
        done.push(`${end.error.code} ${responseId}`) > 0,
    },
    limits: DEFAULT_LIMITS,
    clock: { monotonicMs: () => nowMs, nowMs: () => nowMs },
    log: { warn: () => {} },
  };
  const runs = { has: (id: string) => running.includes(id) };
  const lostResponses = createLostResponses(services as unknown as Services, runs as unknown as Runs);
  const pass = (milliseconds: number): void => {
    nowMs += milliseconds;
  };
  return { lostResponses, done, pass };
}

test("a response that may have begun is withdrawn, another stray is failed, one that runs here is left alone", async () => {
  const { lostResponses, done } = open(["resp_a", "resp_b", "resp_c"], ["resp_c"]);
  lostResponses.noteUncertainBegin("resp_a");
  lostResponses.noteUncertainBegin("resp_c");
  await lostResponses.end();
  assert.deepEqual(done, ["withdrawn resp_a", "run_failed resp_b"]);
});

test("a response that may have begun, and of which a retry may know by now, is failed", async () => {
  const { lostResponses, done } = open(["resp_late"], []);
  lostResponses.noteUncertainBegin("resp_late");
  await lostResponses.end();
  assert.deepEqual(done, ["run_failed resp_late"]);
});

test("a response that begins more than a minute after its begin had no answer is failed", async () => {
  const { lostResponses, done, pass } = open(["resp_a"], []);
  lostResponses.noteUncertainBegin("resp_a");
  pass(60_000);
  await lostResponses.end();
  await lostResponses.end();
  assert.deepEqual(done, ["withdrawn resp_a", "run_failed resp_a"]);
});
