import assert from "node:assert/strict";
import { test } from "node:test";
import type { CatalogModel } from "../core/models/catalog.ts";
import { read } from "../../test/support/config.ts";
import { buildCatalog } from "./catalog.ts";

const PROVIDERS =
  "providers: {near: {type: openai-compatible, base_url: 'http://127.0.0.1:1'}, far: {type: openai-compatible, base_url: 'https://far.example'}}\n";
const KEYS = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };

async function readModel(entry: string, providers = PROVIDERS): Promise<CatalogModel> {
  const { models } = await read(`${providers}models:\n  - ${entry}\n`, KEYS);
  return models[0] ?? assert.fail();
}

test("a target has its own traits, else those of the model; order and weight are 1 by default", async () => {
  const {
    targets = [],
    retry,
    ...model
  } = await readModel(
    "{id: team/fast, context_window: 50000, prices: {input: 2}, targets: [" +
      "{provider: near, upstream_model: a, order: 2, weight: 3, context_window: 9000, prices: {input: 1}, group: [temperature]}, " +
      "{provider: far, upstream_model: b}]}",
  );
  assert.deepEqual(
    targets.map(({ id, target, order, weight, contextWindow, prices, ownedBy }) => {
      return [id, target, order, weight, contextWindow, prices.input, ownedBy];
    }),
    [
      ["team/fast", "near/a", 2, 3, 9000, 1, "team"],
      ["team/fast", "far/b", 1, 1, 50_000, 2, "team"],
    ],
  );
  assert.deepEqual(retry, new Set(["connection", 429, 503, 529]));
  // What clients may send somewhere, and what is the same everywhere.
  assert.deepEqual([model.contextWindow, model.maxOutputTokens], [50_000, 9000]);
  assert.deepEqual(
    targets.map(({ maxOutputTokens, defaultOutputTokens }) => [maxOutputTokens, defaultOutputTokens]),
    [
      [9000, 4096],
      [9000, 4096],
    ],
  );
  assert.deepEqual([...model.settings].toSorted(), [...(targets[1]?.settings ?? [])].toSorted());
});

test("a target inherits from the built-in model of its family with its upstream name", async () => {
  const { models: builtIn } = await buildCatalog(await read(null, KEYS));
  const haiku = builtIn.find(({ upstreamModel }) => upstreamModel === "claude-haiku-5-5") ?? assert.fail();
  const { targets = [], ...model } = await readModel(
    "{id: team/fast, targets: [{provider: anthropic, upstream_model: claude-haiku-5-5}]}",
  );
  const { id: _, ownedBy: _owner, created: _created, ...traits } = haiku;
  const { order: _order, weight: _weight, target: _name, ...target } = targets[0] ?? assert.fail();
  assert.deepEqual(target, { ...traits, id: "team/fast", ownedBy: "team", created: 0 });
  assert.deepEqual(model, { ...traits, id: "team/fast", ownedBy: "team", created: 0, retry: model.retry });
});

test("a model that allows more output than a target is known to give has a warning", async () => {
  const warningsOf = async (fields: string) => {
    const targets =
      "{provider: anthropic, upstream_model: claude-haiku-5-5}, {provider: openai, upstream_model: gpt-4o}";
    const prices = "prices: {input: 1}";
    return (await read(`models:\n  - {id: t/x, ${fields} ${prices}, targets: [${targets}]}\n`, KEYS)).warnings.map(
      (warning) => warning.replace(/^.*?:2: /, ""),
    );
  };
  const [warning, ...more] = await warningsOf("context_window: 200000, max_output_tokens: 64000,");
  assert.equal(
    warning,
    "models[0].max_output_tokens, t/x, is 64000, but openai/gpt-4o gives 16384 at most: a turn that asks for more may fail there.",
  );
  assert.deepEqual(more, []);
  assert.deepEqual(await warningsOf("max_output_tokens: 16384,"), []);
  assert.deepEqual(await warningsOf(""), []);
});

test("retry says after which failures another target is tried", async () => {
  const retryOf = async (retry: string) =>
    (await readModel(`{id: t/x, targets: [{provider: near, upstream_model: m}], retry: ${retry}}`)).retry;
  assert.deepEqual(await retryOf("{on: [connection, 503]}"), new Set(["connection", 503]));
  assert.deepEqual(await retryOf("{also: [504]}"), new Set(["connection", 429, 503, 529, 504]));
  assert.deepEqual(await retryOf("{on: []}"), new Set());
});

test("a paid target without prices is a warning that names it, a provider of targets alone is none", async () => {
  const { warnings } = await read(
    `${PROVIDERS}models:\n  - {id: t/x, targets: [{provider: near, upstream_model: m}, {provider: far, upstream_model: m}, ` +
      "{provider: anthropic, upstream_model: claude-haiku-5-5}, {provider: far, upstream_model: n, prices: {input: 0}}]}\ncatalog: none\n",
    { ANTHROPIC_API_KEY: "k" },
  );
  assert.deepEqual(
    warnings.map((warning) => warning.replace(/^.*?:(?=\d)/, "")),
    [
      "3: models[0].targets[1], far/m, has no prices, so its turns are charged nothing. Set prices, 0 if that is intended.",
    ],
  );
});
