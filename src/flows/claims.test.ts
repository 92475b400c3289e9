import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, invalidInput } from "../contract/errors.ts";
import type { Claim, EarlierClaim } from "../ports/store/claims.ts";
import { untilUnchanged } from "./claims.ts";

const CLAIM: Claim = { endpoint: "addItems", key: "k", fingerprint: "f" };
const EARLIER = { fingerprint: "f" } as EarlierClaim;

interface Given {
  readonly claim?: Claim | null;
  /** The look that finds an earlier request, from 1. */
  readonly foundAt?: number;
  /** Plans that fail, one after the other. */
  readonly failures?: number;
  /** The attempt whose plan is stored, from 1; earlier ones find that something has changed. */
  readonly storedAt?: number;
}

/** A request, and the steps that it takes. */
async function play({ claim = null, foundAt = Infinity, failures = 0, storedAt = 1 }: Given) {
  const steps: string[] = [];
  const count = (step: string) => steps.filter((each) => each === step).length;
  const outcome = await untilUnchanged({
    claim,
    async find() {
      steps.push("find");
      return count("find") >= foundAt ? EARLIER : null;
    },
    replay: () => "replayed",
    async plan() {
      steps.push("plan");
      if (count("plan") <= failures) throw invalidInput("input", `failure ${count("plan")}`);
    },
    async store() {
      steps.push("store");
      return count("store") < storedAt ? null : "stored";
    },
  }).catch((error: unknown) => error);
  return { steps, outcome };
}

test("an earlier request with the same key is replayed, and nothing is planned", async () => {
  assert.deepEqual(await play({ claim: CLAIM, foundAt: 1 }), { steps: ["find"], outcome: "replayed" });
});

test("what is planned is stored; after a change it is planned again, up to ten times: then 503", async () => {
  const once = ["find", "plan", "store"];
  assert.deepEqual(await play({}), { steps: once, outcome: "stored" });
  assert.deepEqual(await play({ storedAt: 3 }), { steps: [...once, ...once, ...once], outcome: "stored" });
  assert.equal((await play({ storedAt: 10 })).outcome, "stored");
  const { steps, outcome } = await play({ storedAt: 11 });
  assert.ok(outcome instanceof ApiError);
  assert.deepEqual([outcome.code, outcome.status, steps.length], ["gateway_overloaded", 503, 30]);
});

test("a request that another one with its key has overtaken is its retry, although its own plan failed", async () => {
  const replayed = { steps: ["find", "plan", "find"], outcome: "replayed" };
  assert.deepEqual(await play({ claim: CLAIM, failures: 1, foundAt: 2 }), replayed);
  const again = await play({ claim: CLAIM, failures: 2, foundAt: 3 });
  assert.deepEqual(again, { steps: ["find", "plan", "find", "plan", "find"], outcome: "replayed" });
});

test("beside a key a plan that fails is made once more: the other request may have been withdrawn", async () => {
  const stored = { steps: ["find", "plan", "find", "plan", "store"], outcome: "stored" };
  assert.deepEqual(await play({ claim: CLAIM, failures: 1 }), stored);
  const { outcome } = await play({ claim: CLAIM, failures: 2 });
  assert.ok(outcome instanceof ApiError);
  assert.equal(outcome.message, "failure 2");
});

test("without a key a plan that fails is not made again", async () => {
  const { steps, outcome } = await play({ failures: 1 });
  assert.ok(outcome instanceof ApiError);
  assert.deepEqual(steps, ["find", "plan"]);
});
