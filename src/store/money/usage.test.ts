// The order in which counted usage is written.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Parameters, Transaction } from "../engine/transaction.ts";
import { finished } from "../engine/transaction.ts";
import { countUsage, writeUsage } from "./usage.ts";

const NO_TOKENS = { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** What a transaction writes after responses of these keys have ended, in this order. */
function writtenAfter(keyIds: readonly string[]): readonly string[] {
  const written: Parameters[] = [];
  const tx: Transaction = {
    settings: { instanceId: 1, idempotencyRetentionMs: 1, usageParts: 1 },
    commitCache: null,
    buffers: [],
    execute(_statement, parameters) {
      written.push(parameters);
      return finished(undefined);
    },
  };
  for (const keyId of keyIds) {
    const whose = { organizationId: "org_a", billingHour: 1, keyId, memberId: "", model: "acme/small" };
    countUsage({ ...whose, ...NO_TOKENS, chargedNano: 1n, savedNano: 0n }, tx);
  }
  for (const _ of writeUsage(tx)) assert.fail("nothing waits");
  return written.map(({ keyId, responses }) => `${String(keyId)} ${String(responses)}`);
}

test("transactions write the same rows in the same order, whatever ended first", () => {
  assert.deepEqual(writtenAfter(["b", "a", "b", "c"]), ["a 1", "b 2", "c 1"]);
  assert.deepEqual(writtenAfter(["c", "b", "b", "a"]), ["a 1", "b 2", "c 1"]);
});
