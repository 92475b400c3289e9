import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyReads } from "./key-reads.ts";

test("an organization's reads run one at a time, in order, beside those of others; too many are a 429", async () => {
  const reads = createKeyReads();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = (organizationId: string, name: string) =>
    reads(organizationId, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (name === "first") throw new Error("the store is slow");
      return name;
    });
  const first = assert.rejects(read("org_a", "first"), /slow/);
  const second = read("org_a", "second");
  const other = read("org_b", "other");
  await new Promise(setImmediate);
  assert.deepEqual(begun, ["first", "other"]);
  ends[0]?.();
  await first;
  await new Promise(setImmediate);
  assert.deepEqual(begun, ["first", "other", "second"]);
  const waiting = Array.from({ length: 10 }, (_, at) => read("org_a", `waiting ${at}`));
  await assert.rejects(read("org_a", "one too many"), { code: "rate_limit_exceeded", retryAfterSeconds: 1 });
  const all = Promise.all([second, other, ...waiting]);
  while (begun.length < 13 || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await new Promise(setImmediate); // oxlint-disable-line no-await-in-loop -- each lets the next one begin
  }
  assert.deepEqual((await all).slice(0, 2), ["second", "other"]);
});
