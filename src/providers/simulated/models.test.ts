import assert from "node:assert/strict";
import test from "node:test";
import { OUTPUT_RESERVE_SHARE, PLATFORM_RESERVE_TOKENS } from "../../contract/limits.ts";
import { MODEL_GROUPS, SETTINGS } from "../../contract/settings.ts";
import { UPSTREAM_ERROR_CODES } from "../wire/error-codes.ts";
import { readSections } from "./directives.ts";
import { SCENARIO_TABLE, SIMULATED_MODELS } from "./models.ts";

const find = (name: string) => {
  const model = SIMULATED_MODELS.find(({ id }) => id === `simulated/${name}`);
  assert.ok(model !== undefined, name);
  return model;
};

test("every model is free, listed once and named after its upstream model", () => {
  assert.equal(new Set(SIMULATED_MODELS.map(({ id }) => id)).size, SIMULATED_MODELS.length);
  for (const { id, provider, upstreamModel, prices } of SIMULATED_MODELS) {
    assert.equal(id, `${provider}/${upstreamModel}`);
    assert.deepEqual(Object.values(prices), [0, 0, 0, 0]);
  }
});

test("each group has a model with exactly its settings, and the echo accepts all", () => {
  for (const [group, settings] of Object.entries(MODEL_GROUPS)) {
    assert.deepEqual([...find(`group-${group.toLowerCase()}`).settings], [...settings]);
  }
  assert.deepEqual([...find("echo").settings], [...SETTINGS]);
});

test("the small window leaves 1,000 tokens", () => {
  const { contextWindow, maxOutputTokens, defaultOutputTokens } = find("small-window");
  assert.equal(
    contextWindow - maxOutputTokens - OUTPUT_RESERVE_SHARE * maxOutputTokens - PLATFORM_RESERVE_TOKENS,
    1_000,
  );
  assert.equal(defaultOutputTokens, maxOutputTokens);
});

test("every provider failure has a model that fails before output and one after", () => {
  for (const code of UPSTREAM_ERROR_CODES) {
    find(`fails-${code}`);
    find(`fails-late-${code}`);
  }
});

test("the directives of every model are valid", () => {
  for (const [name, { directives }] of SCENARIO_TABLE) {
    const [section] = readSections(directives);
    assert.equal(section?.text ?? "", "", name);
  }
});

test("models with other capabilities say so in the catalog", () => {
  assert.equal(find("no-forced-tools").forcedToolChoice, false);
  assert.equal(find("group-b").hasEndUserField, false);
  assert.deepEqual(find("thinks").thinking, { budgetTokens: 1_024 });
});
