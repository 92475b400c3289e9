// The models that the management interface shows. access.test.ts tests their shape.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICED_MODELS } from "../support/money.ts";
import { testModel } from "../support/service-config.ts";
import { managedForFile } from "./managed-service.ts";

const THINKS = testModel("test/thinks", { thinking: { budgetTokens: 2048 }, forcedToolChoice: false });
const PLACED = testModel("test/placed", {
  upstreamModel: "placed-2",
  settings: new Set(["temperature", "top_p"] as const),
  thinking: { effort: "high" },
  contextWindow: 30_000,
  maxOutputTokens: 900,
  defaultOutputTokens: 800,
});

const managed = await managedForFile({ models: [...PRICED_MODELS, THINKS, PLACED] });

test("models, with the field names of turngate.yaml", async () => {
  const { json } = await managed.ask(managed.operator, "GET", "/models");
  const shown = (id: string) => json.data.find((model: { id: string }) => model.id === id);
  const prices = { input: 0, cached_input: 0, cache_write: 0, output: 0 };
  assert.deepEqual(shown("test/placed"), {
    id: "test/placed",
    provider: "scripted",
    upstream_model: "placed-2",
    group: ["temperature", "top_p"],
    context_window: 30_000,
    max_output_tokens: 900,
    default_output_tokens: 800,
    thinking: "high",
    forced_tool_choice: true,
    prices,
    owned_by: "tests",
    created: 1_700_000_000,
  });
  assert.deepEqual([shown("test/thinks").thinking, shown("test/thinks").forced_tool_choice], [2048, false]);
  assert.equal(shown("test/all").thinking, "none");
  const twice = { input: 2000, cached_input: 200, cache_write: 2000, output: 2000 };
  assert.deepEqual(shown("test/tiered").prices, {
    input: 1000,
    cached_input: 100,
    cache_write: 1000,
    output: 1000,
    tiers: [{ above_input_tokens: 10, ...twice }],
  });
});
