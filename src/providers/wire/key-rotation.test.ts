import assert from "node:assert/strict";
import { test } from "node:test";
import type { Provider, ProviderCall } from "../../ports/provider.ts";
import { rotateKeys } from "./key-rotation.ts";

function provider(key: string, seen: string[], fails = false): Provider {
  return {
    name: "p",
    reasoningOf: () => null,
    async run() {
      seen.push(key);
      if (fails) throw new Error(`${key} is rejected`);
    },
    async close() {
      seen.push(`${key} closed`);
    },
  };
}

test("each round uses the next key; a rejected key fails its round, and no other is tried", async () => {
  const seen: string[] = [];
  const joined = rotateKeys([provider("a", seen), provider("b", seen, true), provider("c", seen)]);
  const call = {} as ProviderCall;
  await joined.run(call, () => {});
  await assert.rejects(
    joined.run(call, () => {}),
    /b is rejected/,
  );
  for (let round = 0; round < 2; round++) await joined.run(call, () => {});
  assert.deepEqual(seen.splice(0), ["a", "b", "c", "a"]);
  await joined.close();
  assert.deepEqual(seen, ["a closed", "b closed", "c closed"]);
});
