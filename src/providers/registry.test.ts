import assert from "node:assert/strict";
import test from "node:test";
import type { Ids } from "../ports/ids.ts";
import { REASONING_EFFORTS, REASONING_SUMMARIES } from "../contract/settings.ts";
import type { CatalogModel } from "../core/models/catalog.ts";
import { FAMILIES } from "./families.ts";
import { createProviderRegistry, type ProviderEntry } from "./registry.ts";
import { familyOf } from "../../test/support/family-of.ts";
import { createManualClock, sampleModel, samplePrompt } from "../../test/support/provider-samples.ts";

const ids: Pick<Ids, "mintCallId"> = { mintCallId: () => "call_minted" };
const noHost = () => assert.fail("no entry has a host");
const services = { clock: createManualClock(), ids: ids as Ids, loadLibrary: noHost, fetch: noHost };
const local: ProviderEntry = {
  name: "local",
  family: familyOf("openai-compatible"),
  baseUrl: "http://127.0.0.1:1/v1",
  apiKey: null,
};

test("each entry is found by its name", async () => {
  const registry = await createProviderRegistry(
    [local, { name: "play", family: familyOf("simulated"), baseUrl: null, apiKey: null }],
    services,
  );
  assert.equal(registry.get("local").name, "local");
  assert.equal(registry.get("play").name, "play");
  assert.throws(() => registry.get("other"), /No provider is named "other"/);
  await registry.close();
});

test("an entry that cannot work is an error in plain words, without its key", async () => {
  const rows: [Partial<ProviderEntry>, RegExp][] = [
    [{ baseUrl: null }, /"local" needs a base_url/],
    [{ baseUrl: "localhost:11434" }, /must be an http or https address/],
    [{ baseUrl: "ftp://host/" }, /must be an http or https address/],
    [{ baseUrl: "http://me:secret@host/" }, /must contain no user or password/],
    [{ apiKey: "sk-secret\n" }, /api_key of provider "local" contains characters/],
  ];
  for (const [change, message] of rows) {
    await assert.rejects(
      createProviderRegistry([{ ...local, ...change }], services),
      (error: Error) => message.test(error.message) && !error.message.includes("secret"),
    );
  }
  await assert.rejects(createProviderRegistry([local, local], services), /configured twice/);
});

test("the reported reasoning is null, or an effort of the interface with or without a summary", async () => {
  const upstream: Readonly<Record<string, readonly string[]>> = {
    anthropic: ["claude-opus-5-5", "claude-haiku-5-5", "claude-opus-4-8", "claude-haiku-4-5", "claude-next"],
    gemini: ["gemini-4-argon", "gemini-2.5-pro", "gemini-2.0-flash"],
    openai: ["gpt-6.1-terra"],
    "openai-compatible": ["llama"],
    simulated: ["thinks"],
  };
  const thoughts: readonly CatalogModel["thinking"][] = [
    "none",
    ...(["low", "medium", "high", "xhigh"] as const).map((effort) => ({ effort })),
    ...[1, 1_024, 5_000, 20_000, 60_000].map((budgetTokens) => ({ budgetTokens })),
  ];
  const registry = await createProviderRegistry(
    FAMILIES.map((family) => ({ name: family.type, family, baseUrl: "http://127.0.0.1:1/v1", apiKey: null })),
    services,
  );
  let reported = 0;
  for (const { type } of FAMILIES) {
    assert.ok(upstream[type], type);
    for (const upstreamModel of upstream[type]) {
      for (const thinking of thoughts) {
        for (const toolChoice of ["auto", "required"] as const) {
          const prompt = samplePrompt("Hi", { toolChoice, maxOutputTokens: 16_000 });
          const reasoning = registry.get(type).reasoningOf(sampleModel({ upstreamModel, thinking }), prompt);
          if (reasoning === null) continue;
          reported++;
          assert.ok(REASONING_EFFORTS.includes(reasoning.effort), `${upstreamModel} ${JSON.stringify(thinking)}`);
          assert.ok(reasoning.summary === null || REASONING_SUMMARIES.includes(reasoning.summary));
          // These models are always asked for summaries.
          const asksForSummaries = !type.startsWith("openai") && reasoning.effort !== "none";
          assert.equal(reasoning.summary !== null, asksForSummaries, `${upstreamModel} ${JSON.stringify(thinking)}`);
        }
      }
    }
  }
  assert.ok(reported > 100);
  await registry.close();
});
