import assert from "node:assert/strict";
import { test } from "node:test";
import { createLongReads } from "./long-reads.ts";

/** Reads that end when the test says so. */
function createReads() {
  const reads = createLongReads();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    read: (organizationId: string, keyId: string, name: string) =>
      reads({ organizationId, keyId }, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
        if (name === "failing") throw new Error("the store is slow");
        return name;
      }),
    end: async (name: string) => {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

test("an organization's reads run one at a time, its callers in turn, beside those of others", async () => {
  const { begun, read, end } = createReads();
  const failing = assert.rejects(read("org_a", "loud", "failing"), /slow/);
  const [second, third] = [read("org_a", "loud", "second"), read("org_a", "loud", "third")];
  const quiet = read("org_a", "quiet", "quiet");
  const other = read("org_b", "key", "other");
  await end("nothing");
  assert.deepEqual(begun, ["failing", "other"]);
  await end("failing");
  await failing;
  await end("second");
  assert.deepEqual(begun, ["failing", "other", "second", "quiet"]);
  await end("quiet");
  await end("third");
  await end("other");
  assert.deepEqual(await Promise.all([second, third, quiet, other]), ["second", "third", "quiet", "other"]);
});

test("a caller whose reads have taken its share gets a 429; there is room for others", async () => {
  const { begun, read, end } = createReads();
  const loud = Array.from({ length: 100 }, (_, at) => read("org_a", "loud", `read ${at}`));
  const refused = loud
    .slice(72)
    .map((each) => assert.rejects(each, { code: "rate_limit_exceeded", retryAfterSeconds: 1 }));
  await Promise.all(refused);
  const taken = [...loud.slice(0, 72), read("org_a", "quiet", "quiet"), read("org_b", "key", "other")];
  await end("other");
  // oxlint-disable-next-line no-await-in-loop -- each lets the next one begin
  for (let at = 0; at < taken.length; at++) await end(begun.filter((name) => name !== "other")[at] ?? "");
  assert.equal(new Set(await Promise.all(taken)).size, 74);
  assert.deepEqual(begun.slice(0, 4), ["read 0", "other", "read 1", "quiet"]);
});
