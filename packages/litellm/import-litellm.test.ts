import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { read } from "../../test/support/config.ts";
import { buildCatalog } from "../../src/config/catalog.ts";
import { FAMILIES } from "../../src/providers/families.ts";
import { importLitellm } from "./import-litellm.ts";
import { NATIVE } from "./providers.ts";
import { OperatorError } from "../kit/operator-error.ts";

const CANARY = "CANARY-of-a-key";

const load = (text: string) => importLitellm("litellm.yaml", text);
/** A file of models, each a name and what LiteLLM sends. */
const listOf = (...models: object[]) => JSON.stringify({ model_list: models });
const model = (name: string, params: object, info: object = {}) => ({
  model_name: name,
  litellm_params: params,
  model_info: info,
});

test("a file of several providers becomes one that a start reads", async () => {
  const { text, notes } = load(`
model_list:
  - model_name: gpt
    litellm_params: &base { model: openai/gpt-6.1-terra, api_key: os.environ/OPENAI_API_KEY }
    model_info: { input_cost_per_token: 2.5e-06, output_cost_per_token: 1e-05, cache_read_input_token_cost: 2.5e-7 }
  - model_name: claude
    litellm_params: { model: anthropic/claude-opus-5-5, api_key: os.environ/TEAM_KEY, max_tokens: 2048 }
    model_info: { max_input_tokens: 200000, max_output_tokens: 64000, input_cost_per_token_above_200k_tokens: 1e-5 }
  - model_name: gemini/gemini-flash
    litellm_params: { model: gemini/gemini-3.8-flash }
  - model_name: local
    litellm_params: { model: ollama_chat/qwen3:8b, api_base: "http://10.0.0.5:11434/" }
  - model_name: fast
    litellm_params: { model: groq/some/model }
  - model_name: own
    litellm_params: { <<: *base, model: openai/mine, api_base: "https://models.example/v1", api_key: os.environ/OWN }
router_settings:
  model_group_alias: { default: gpt, hidden: { model: claude, hidden: true } }
`);
  assert.deepEqual(notes, []);
  const { providers, models } = parse(text);
  assert.deepEqual(providers, {
    openai: { type: "openai", api_key: "${OPENAI_API_KEY}" },
    anthropic: { type: "anthropic", api_key: "${TEAM_KEY}" },
    gemini: { type: "gemini" },
    ollama_chat: { type: "openai-compatible", base_url: "http://10.0.0.5:11434/v1" },
    groq: { type: "openai-compatible", base_url: "https://api.groq.com/openai/v1", api_key: "${GROQ_API_KEY}" },
    "openai-2": { type: "openai-compatible", base_url: "https://models.example/v1", api_key: "${OWN}" },
  });
  assert.deepEqual(models[0], {
    id: "openai/gpt",
    provider: "openai",
    upstream_model: "gpt-6.1-terra",
    prices: { input: 2.5, output: 10, cached_input: 0.25 },
  });
  const ids = [
    "openai/gpt",
    "anthropic/claude",
    "gemini/gemini-flash",
    "ollama_chat/local",
    "groq/fast",
    "openai-2/own",
  ];
  assert.deepEqual(
    models.map(({ id }: { id: string }) => id),
    ids,
  );
  assert.deepEqual(parse(text).aliases, { default: "openai/gpt", hidden: "anthropic/claude" });
  const variables = { OPENAI_API_KEY: "k", TEAM_KEY: "k", GEMINI_API_KEY: "k", GROQ_API_KEY: "k", OWN: "k" };
  const config = await read(text, variables);
  const claude = config.models.find(({ id }) => id === "anthropic/claude");
  assert.deepEqual(
    [claude?.contextWindow, claude?.maxOutputTokens, claude?.defaultOutputTokens, claude?.tiers?.[0]?.aboveInputTokens],
    [200_000, 64_000, 2048, 200_000],
  );
  assert.equal(claude?.tiers?.[0]?.prices.input, 10);
  assert.equal(config.models.length, models.length);
});

test("a key or a password in the file is not repeated, neither in the result nor in a note", () => {
  const { text, notes } = load(
    listOf(
      model("a", { model: "openai/a", api_key: CANARY }),
      model("b", { model: "openai/b", api_base: `https://u:${CANARY}@h/v1`, extra_headers: { "x-key": CANARY } }),
    ),
  );
  assert.doesNotMatch(text + notes.join(), /CANARY/);
  assert.deepEqual(parse(text).providers, {
    openai: { type: "openai", api_key: "${OPENAI_API_KEY}" },
    "openai-2": { type: "openai-compatible", base_url: "${OPENAI_BASE_URL_2}", api_key: "${OPENAI_API_KEY}" },
  });
  assert.deepEqual(notes, [
    "model_list[0], a: the key is written in the file; put it into the variable OPENAI_API_KEY.",
    "model_list[1], b: the address holds a password; put one without it into the variable OPENAI_BASE_URL_2.",
    "model_list[1], b: the file has no key for this address: OPENAI_API_KEY is sent there, as LiteLLM does.",
    "model_list[1], b: not carried over: extra_headers.",
  ]);
});

test("a key that is written in the file gets a variable of its own: no server is sent another one's key", () => {
  const { text, notes } = load(
    listOf(
      model("a", { model: "openai/a", api_key: "os.environ/OPENAI_API_KEY" }),
      model("b", { model: "openai/b", api_base: "http://127.0.0.1:8000/v1", api_key: "none" }),
      model("c", { model: "openai/c", api_base: "http://127.0.0.1:9000/v1", api_key: "other" }),
      model("d", { model: "openai/d", api_key: "second account" }),
      model("e", { model: "anthropic/e", api_key: "one" }),
      model("f", { model: "anthropic/f", api_key: "two" }),
      model("g", { model: "anthropic/g", api_key: "one" }),
    ),
  );
  const keys = Object.entries<{ api_key: string }>(parse(text).providers).map(([name, { api_key }]) => [name, api_key]);
  assert.deepEqual(keys, [
    ["openai", "${OPENAI_API_KEY}"],
    ["openai-2", "${OPENAI_API_KEY_2}"],
    ["openai-3", "${OPENAI_API_KEY_3}"],
    ["openai-4", "${OPENAI_API_KEY_4}"],
    ["anthropic", "${ANTHROPIC_API_KEY}"],
    ["anthropic-2", "${ANTHROPIC_API_KEY_2}"],
  ]);
  assert.equal(notes.length, 6);
});

const left: readonly (readonly [string, string, RegExp])[] = [
  [
    "a wildcard of all providers",
    listOf(model("*", { model: "*" })),
    /^model_list\[0\], \*: a wildcard is of one provider here; list one for each, such as openai\/\*\.$/,
  ],
  [
    "a wildcard for one model",
    listOf(model("openai/*", { model: "openai/gpt" })),
    /model_list\[0\], openai\/\*: a wildcard needs its star in model_name and model/,
  ],
  [
    "a star within a name",
    listOf(model("openai/*-mini", { model: "openai/*-mini" })),
    /a wildcard has one star here, at the end/,
  ],
  [
    "a second provider of a wildcard",
    listOf(model("openai/*", { model: "openai/*" }), model("*", { model: "openai/*" })),
    /^model_list\[1\], \*: openai\/\* is there already; a wildcard has one provider\.$/,
  ],
  ["a name with white space", listOf(model("a b", { model: "openai/a" })), /names with white space have no place/],
  ["an unknown provider", listOf(model("a", { model: "sagemaker/a" })), /the provider sagemaker is not known/],
  [
    "a model without a prefix that LiteLLM would not know",
    listOf(model("a", { model: "mystery" })),
    /a model without a provider's prefix is not known/,
  ],
  [
    "an address that is missing",
    listOf(model("a", { model: "hosted_vllm/a" })),
    /the provider hosted_vllm is not known/,
  ],
  [
    "another mode",
    listOf(model("a", { model: "openai/a" }, { mode: "embedding" })),
    /the mode embedding is not served/,
  ],
  [
    "a limit of one of several deployments",
    listOf(model("a", { model: "openai/a", rpm: 5 }), model("a", { model: "openai/b" })),
    /^a: rpm of its deployments are shares of its turns here, no limits\.$/,
  ],
  [
    "a fallback to nothing",
    JSON.stringify({
      model_list: [model("a", { model: "openai/a" })],
      litellm_settings: { fallbacks: [{ a: ["b"] }] },
    }),
    /^fallbacks of a: b names no model that was carried over\.$/,
  ],
  [
    "settings of a model",
    listOf(model("a", { model: "openai/a", rpm: 5, weight: 1 })),
    /^a: not carried over: weight, rpm\.$/,
  ],
  [
    "other sections",
    JSON.stringify({ model_list: [], general_settings: { master_key: CANARY }, include: ["x"] }),
    /^general_settings: not carried over: master_key\.\ninclude: not carried over\.$/,
  ],
  [
    "an alias of nothing",
    JSON.stringify({ model_list: [], router_settings: { model_group_alias: { a: "b" } } }),
    /model_group_alias: a names no model/,
  ],
];
test("several deployments of a name, and its fallbacks, become targets that a start reads", async () => {
  const { text, notes, carried, listed } = load(`
model_list:
  - model_name: gpt
    litellm_params: { model: gpt-6.1-terra, weight: 0.9 }
    model_info: { max_output_tokens: 8000 }
  - model_name: gpt
    litellm_params: { model: openai/gpt-6.1-luna, api_base: "https://eu.example/v1", api_key: os.environ/EU, weight: 0.1, order: 2 }
    model_info: { max_input_tokens: 50000, max_output_tokens: 4000 }
  - model_name: claude
    litellm_params: { model: claude-opus-5-5 }
  - model_name: team/small
    litellm_params: { model: anthropic/claude-haiku-5-5 }
  - model_name: all/*
    litellm_params: { model: "openai/*" }
router_settings: { fallbacks: [{ gpt: [claude, { model: team/small }] }], model_group_alias: { default: gpt } }
litellm_settings: { default_fallbacks: [claude] }
`);
  assert.deepEqual([carried, listed], [5, 5]);
  assert.deepEqual(notes, ["fallbacks of all/*: a wildcard has none here; list the models that need them."]);
  const { models, aliases, catalog } = parse(text);
  assert.deepEqual(models, [
    {
      id: "pool/gpt",
      max_output_tokens: 4000,
      targets: [
        { provider: "openai", upstream_model: "gpt-6.1-terra", order: 1, weight: 900 },
        { provider: "openai-2", upstream_model: "gpt-6.1-luna", order: 2, weight: 100, context_window: 50_000 },
        { provider: "anthropic", upstream_model: "claude-opus-5-5", order: 3 },
        { provider: "anthropic", upstream_model: "claude-haiku-5-5", order: 4 },
      ],
    },
    { id: "anthropic/claude", provider: "anthropic", upstream_model: "claude-opus-5-5" },
    {
      id: "team/small",
      targets: [
        { provider: "anthropic", upstream_model: "claude-haiku-5-5", order: 1 },
        { provider: "anthropic", upstream_model: "claude-opus-5-5", order: 2 },
      ],
    },
    { id: "all/*", provider: "openai", upstream_model: "*" },
  ]);
  assert.deepEqual([aliases, catalog], [{ default: "pool/gpt" }, "none"]);
  const { find } = await buildCatalog(await read(text, { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", EU: "k" }));
  assert.deepEqual(
    ["gpt", "default", "claude", "small"].map((name) => find(name)?.id),
    ["pool/gpt", "pool/gpt", "anthropic/claude", "team/small"],
  );
});

test("wildcards take the names that they took, at their provider", async () => {
  const { text, notes, carried } = load(
    listOf(
      model("openai/*", { model: "openai/*" }),
      model("team/*", { model: "anthropic/claude-*" }),
      model("gemini-*", { model: "gemini/gemini-*" }),
    ),
  );
  assert.deepEqual(
    [carried, notes],
    [3, ["model_list[2], gemini-*: is gemini/gemini-* here; a name without gemini/ works if the price list has it."]],
  );
  const { find } = await buildCatalog(
    await read(text, { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", GEMINI_API_KEY: "k" }),
  );
  const ranAt = (name: string) => {
    const found = find(name);
    return `${found?.provider} ${found?.upstreamModel}`;
  };
  assert.deepEqual(["openai/gpt-5.4", "team/opus-5", "gemini/gemini-9-flash"].map(ranAt), [
    "openai gpt-5.4",
    "anthropic claude-opus-5",
    "gemini gemini-9-flash",
  ]);
});

for (const [name, text, expected] of left) {
  test(`${name} is named`, () => {
    const { notes } = load(text);
    assert.match(notes.join("\n"), expected);
    assert.doesNotMatch(notes.join("\n"), /CANARY/);
  });
}

test("a file that is no LiteLLM configuration is an error that quotes nothing", () => {
  const fails = (text: string, words: RegExp) =>
    assert.throws(
      () => load(text),
      (error) => error instanceof OperatorError && words.test(error.message) && !error.message.includes("CANARY"),
    );
  fails("providers: {}", /^litellm\.yaml has no model_list/);
  fails("- 1", /has no model_list/);
  fails("", /has no model_list/);
  fails(`a: b\napi_key: "${CANARY}`, /^litellm\.yaml(:\d+)?: invalid YAML\.$/);
});

test("what LiteLLM's providers become are types of turngate.yaml, which read the same variables by themselves", () => {
  const variables = FAMILIES.flatMap(({ type, environment }) =>
    environment === null ? [] : [[type, environment.apiKey] as const],
  );
  for (const [type, { apiKey }] of NATIVE)
    assert.ok(
      variables.some((known) => isDeepStrictEqual(known, [type, apiKey])),
      type,
    );
  assert.ok(FAMILIES.some(({ type, requires }) => type === "openai-compatible" && requires === "baseUrl"));
});
