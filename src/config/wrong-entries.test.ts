// Files with wrong providers and models.
import { FAMILIES } from "../providers/families.ts";
import { testWrongFiles } from "../../test/support/config.ts";

testWrongFiles([
  [
    "a wrong provider type",
    "providers:\n  x:\n    type: cohere\n",
    new RegExp(
      `^FILE:3: providers.x.type is "cohere"; allowed: one of ${FAMILIES.map(({ type }) => type).join(", ")}\\.$`,
    ),
  ],
  [
    "an unknown setting in a list",
    "models:\n  - id: simulated/x\n    group:\n      - temperature\n      - colour\n",
    /^FILE:5: models\[0\].group\[1\] is "colour"; allowed: A, B, C, or a list of accepted settings out of /,
  ],
  ["a provider without type", "providers:\n  x:\n    base_url: http://x\n", /^FILE:2: providers.x lacks type/],
  [
    "a wrong provider name",
    "providers:\n  'X y':\n    type: simulated\n",
    /^FILE:2: there is no key "X y" in providers; allowed: .* lower-case letters/,
  ],
  ["a provider without its key", "providers:\n  a:\n    type: anthropic\n", /^FILE:2: providers.a lacks api_key/],
  [
    "a compatible provider without address",
    "providers:\n  o:\n    type: openai-compatible\n",
    /^FILE:2: providers.o lacks base_url/,
  ],
  [
    "a model without slash",
    "models:\n  - id: gpt\n",
    /^FILE:2: models\[0\].id is "gpt"; allowed: a string of the form <provider>\/<model>/,
  ],
  [
    "a model of an unknown provider",
    "models:\n  - id: acme/x\n",
    /^FILE:2: models\[0\].id names the provider "acme", which is not configured; allowed: simulated/,
  ],
  [
    "a repeated model",
    "models:\n  - id: simulated/x\n  - id: simulated/x\n",
    /^FILE:3: models\[1\].id is "simulated\/x", which is already in the list/,
  ],
  [
    "a wrong group",
    "models:\n  - id: simulated/x\n    group: D\n",
    /^FILE:3: models\[0\].group is "D"; allowed: A, B, C, or a list of accepted settings out of parallel_tool_calls/,
  ],
  ["a wrong setting", "models:\n  - id: simulated/x\n    group: [temperature, heat]\n", /^FILE:3: models\[0\].group/],
  [
    "a wrong effort",
    "models:\n  - id: simulated/x\n    thinking: hard\n",
    /^FILE:3: models\[0\].thinking is "hard"; allowed: none, a token budget/,
  ],
  [
    "a group that the provider's type can't send",
    "providers: {a: {type: anthropic, api_key: k}}\nmodels:\n  - id: a/b\n    group: B\n",
    /^FILE:4: models\[0\].group contains temperature; allowed: A, or a list out of parallel_tool_calls, text.format, since providers of type anthropic take no other setting.$/,
  ],
  [
    "a setting that the provider's type can't send",
    "providers: {g: {type: gemini, api_key: k}}\nmodels:\n  - id: g/c\n    group: [top_p, text.verbosity]\n",
    /^FILE:4: models\[0\].group contains text.verbosity; allowed: B, or a list out of temperature, .* type gemini take/,
  ],
  [
    "a group that the type can't send, where two others fit",
    "providers: {o: {type: openai, api_key: k}}\nmodels:\n  - id: o/b\n    group: B\n",
    /^FILE:4: models\[0\].group contains temperature; allowed: A, C, or a list out of /,
  ],
  [
    "a thinking budget for OpenAI",
    "providers: {o: {type: openai, api_key: k}}\nmodels:\n  - id: o/b\n    thinking: 2000\n",
    /^FILE:4: models\[0\].thinking is 2000; allowed: none or an effort \(low, .*\), since providers of type openai take no budget.$/,
  ],
  [
    "a thinking budget for chat completions",
    "providers: {c: {type: openai-compatible, base_url: 'http://c'}}\nmodels:\n  - id: c/b\n    thinking: 2000\n",
    /^FILE:4: models\[0\].thinking is 2000; allowed: none or an effort .* type openai-compatible take no budget.$/,
  ],
  [
    "too much output",
    "models:\n  - id: simulated/x\n    context_window: 4000\n    max_output_tokens: 5000\n",
    /^FILE:4: models\[0\].max_output_tokens is 5000; allowed: at most context_window \(4000\)/,
  ],
  [
    "a wrong price",
    "models:\n  - id: simulated/x\n    prices:\n      input: -1\n",
    /^FILE:4: models\[0\].prices.input is -1; allowed: USD per million tokens/,
  ],
  [
    "a repeated price tier",
    "models:\n  - id: simulated/x\n    prices:\n      tiers:\n        - above_input_tokens: 5\n        - above_input_tokens: 5\n",
    /^FILE:6: models\[0\].prices.tiers\[1\].above_input_tokens is 5, which is already in the list/,
  ],
  [
    "an invalid base URL",
    "providers:\n  o:\n    type: openai-compatible\n    base_url: http://host:99999\n",
    /^FILE:4: providers.o.base_url must be an http or https address/,
  ],
  [
    "a password in a base URL",
    "providers:\n  o:\n    type: openai-compatible\n    base_url: http://u:pass@host\n",
    /^FILE:4: providers.o.base_url must contain no user or password: use api_key.$/,
  ],
  [
    "a key with a line break",
    'providers:\n  a:\n    type: anthropic\n    api_key: "k\\n"\n',
    /^FILE:4: providers.a.api_key contains characters that no header can contain.$/,
  ],
  [
    "one of two keys with a line break",
    'providers:\n  a:\n    type: anthropic\n    api_keys:\n      - k\n      - "CANARY\\n"\n',
    /^FILE:6: providers.a.api_keys\[1\] contains characters that no header can contain.$/,
  ],
  [
    "api_key together with api_keys",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    api_keys: [l]\n",
    /^FILE:5: providers.a.api_keys is set together with api_key; set only one of them.$/,
  ],
  [
    "the same key twice",
    "providers:\n  a:\n    type: anthropic\n    api_keys: [CANARY, CANARY]\n",
    /^FILE:4: providers.a.api_keys has a value that is not allowed; allowed: a list of different keys/,
  ],
  [
    "a header that the service sets",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    headers: {\n      Host: h}\n",
    /^FILE:6: providers.a.headers.Host is set by the service.$/,
  ],
  [
    "a header that is not a string",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    headers: {x: 12345}\n",
    /^FILE:5: providers.a.headers.x has a value that is not allowed; allowed: a string, the value of the header; \$\{NAME\} inserts an environment variable.$/,
  ],
  [
    "a wrong timeout",
    "providers:\n  a:\n    type: anthropic\n    api_key: k\n    timeout_seconds: 0\n",
    /^FILE:5: providers.a.timeout_seconds is 0; allowed: a number of seconds above 0/,
  ],
  [
    "a target without its provider",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    targets:\n      - {provider: c, upstream_model: m}\n",
    /^FILE:5: models\[0\].targets\[0\].provider names the provider "c", which is not configured; allowed: a, b\.$/,
  ],
  [
    "a target twice",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    targets:\n      - {provider: a, upstream_model: m}\n      - {provider: a, upstream_model: m, order: 2}\n",
    /^FILE:6: models\[0\].targets\[1\] is a\/m, which is already in the list\.$/,
  ],
  [
    "an order whose weights are all 0",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    targets:\n      - {provider: a, upstream_model: m}\n      - {provider: a, upstream_model: n, order: 2, weight: 0}\n",
    /^FILE:6: models\[0\].targets\[1\] has order 2, in which all weights are 0: give one of them a weight\.$/,
  ],
  [
    "no targets",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    targets: []\n",
    /^FILE:4: models\[0\].targets is a list; allowed: a list of 1 to 20 targets/,
  ],
  [
    "a provider beside targets",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    provider: a\n    targets: [{provider: a, upstream_model: m}]\n",
    /^FILE:4: models\[0\].provider is set beside targets; name it in each of them\.$/,
  ],
  [
    "an upstream model beside targets",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    upstream_model: m\n    targets: [{provider: a, upstream_model: m}]\n",
    /^FILE:4: models\[0\].upstream_model is set beside targets/,
  ],
  [
    "a retry without targets",
    "models:\n  - id: simulated/x\n    retry: {on: [429]}\n",
    /^FILE:3: models\[0\].retry is set without targets, which it is for\.$/,
  ],
  [
    "a failure after which nothing may be tried",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    targets: [{provider: a, upstream_model: m}]\n    retry: {on: [500]}\n",
    /^FILE:5: models\[0\].retry.on\[0\] is 500; allowed: /,
  ],
  [
    "a target's setting that its provider can't send",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    targets:\n      - {provider: a, upstream_model: m}\n      - {provider: b, upstream_model: m, thinking: 1024}\n",
    /^FILE:6: models\[0\].targets\[1\].thinking is 1024; allowed: none or an effort/,
  ],
  [
    "a model's setting that the provider of a target can't send",
    "providers: {a: {type: simulated}, b: {type: openai-compatible, base_url: 'http://b'}}\nmodels:\n  - id: t/x\n    replay_reasoning: true\n    targets:\n      - {provider: b, upstream_model: m}\n      - {provider: a, upstream_model: m}\n",
    /^FILE:4: models\[0\].replay_reasoning is true; remove it/,
  ],
]);
