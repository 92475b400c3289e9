import assert from "node:assert/strict";
import test from "node:test";
import type { Ids } from "../ports/ids.ts";
import { createProviderRegistry, type ProviderEntry } from "./registry.ts";
import { createManualClock } from "../../test/support/provider-samples.ts";

const ids: Pick<Ids, "mintCallId"> = { mintCallId: () => "call_minted" };
const world = { clock: createManualClock(), ids: ids as Ids };
const local: ProviderEntry = {
  name: "local",
  type: "openai-compatible",
  baseUrl: "http://127.0.0.1:1/v1",
  apiKey: null,
};

test("each entry is found by its name", async () => {
  const registry = createProviderRegistry(
    [local, { name: "play", type: "simulated", baseUrl: null, apiKey: null }],
    world,
  );
  assert.equal(registry.get("local").name, "local");
  assert.equal(registry.get("play").name, "play");
  assert.throws(() => registry.get("other"), /No provider is named "other"/);
  await registry.close();
});

test("an entry that cannot work is refused in words, without its key", () => {
  const rows: [Partial<ProviderEntry>, RegExp][] = [
    [{ baseUrl: null }, /"local" needs a base_url/],
    [{ baseUrl: "localhost:11434" }, /must be an http or https address/],
    [{ baseUrl: "ftp://host/" }, /must be an http or https address/],
    [{ baseUrl: "http://me:secret@host/" }, /must hold no user or password/],
    [{ apiKey: "sk-secret\n" }, /api_key of provider "local" holds characters/],
  ];
  for (const [change, message] of rows) {
    assert.throws(
      () => createProviderRegistry([{ ...local, ...change }], world),
      (error: Error) => message.test(error.message) && !error.message.includes("secret"),
    );
  }
  assert.throws(() => createProviderRegistry([local, local], world), /configured twice/);
});
