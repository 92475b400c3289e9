// The simulated models: their catalog entries and their directives. A test checks the table of docs/simulated-models.md
// against them.
import { MODEL_GROUPS, type ModelGroup, type Setting, SETTINGS } from "../../contract/settings.ts";
import type { CatalogModel } from "../../core/models/catalog.ts";
import { UPSTREAM_ERROR_CODES } from "../wire/error-codes.ts";

/** The name of the built-in provider. */
const SIMULATED_PROVIDER = "simulated";

interface Scenario {
  /** Directives that precede those of the input in every round. */
  readonly directives: string;
  /** Description for the documentation. */
  readonly does: string;
  readonly group?: ModelGroup;
  readonly entry?: Partial<CatalogModel>;
}

const FAILING = Object.fromEntries(
  UPSTREAM_ERROR_CODES.flatMap((code): [string, Scenario][] => [
    [`fails-${code}`, { directives: `/fail ${code}`, does: `fails with \`${code}\` before any output` }],
    [
      `fails-late-${code}`,
      {
        directives: `/say The answer begins here\n/fail ${code}`,
        does: `fails with \`${code}\` after its first words`,
      },
    ],
  ]),
);

/** Every simulated model by its upstream name, which follows `simulated/` in its id. */
export const SCENARIO_TABLE: ReadonlyMap<string, Scenario> = new Map(
  Object.entries<Scenario>({
    echo: { directives: "", does: "answers with the input; accepts every setting" },
    "group-a": { directives: "", does: "an echo that accepts the settings of group A", group: "A" },
    "group-b": {
      directives: "",
      does: "an echo that accepts the settings of group B; has no field for an end user",
      group: "B",
      entry: { hasEndUserField: false },
    },
    "group-c": { directives: "", does: "an echo that accepts the settings of group C", group: "C" },
    "small-window": {
      directives: "",
      does: "an echo with a small window: unless max_output_tokens is set, 1,000 tokens (4,000 characters) are usable",
      entry: { contextWindow: 4_150, maxOutputTokens: 1_000, defaultOutputTokens: 1_000 },
    },
    "large-output": {
      directives: "",
      does: "an echo that may emit 4,000,000 tokens (16 million characters)",
      entry: { contextWindow: 10_000_000, maxOutputTokens: 4_000_000, defaultOutputTokens: 4_000_000 },
    },
    "no-forced-tools": {
      directives: "",
      does: "an echo that rejects a tool_choice which forces a call",
      entry: { forcedToolChoice: false },
    },
    thinks: {
      directives: "/reason",
      does: "reasons before it answers; has a thinking budget, so temperature and top_p are rejected",
      entry: { thinking: { budgetTokens: 1_024 } },
    },
    "calls-tools": { directives: "/tools", does: "calls every tool it is given once, then quotes what they returned" },
    refuses: { directives: "/refuse I can't help with that.", does: "refuses with an explanation" },
    "refuses-silently": { directives: "/refuse", does: "refuses without a word" },
    "refuses-late": {
      directives: "/say I could begin to answer, but\n/refuse",
      does: "refuses after some text, with an empty refusal",
    },
    "stops-early": {
      directives: "/incomplete max_output_tokens",
      does: "answers, but ends as if at max_output_tokens",
    },
    "is-filtered": { directives: "/incomplete content_filter", does: "answers, but ends for `content_filter`" },
    caches: {
      directives: "/usage cached=16 write=8",
      does: "an echo whose usage counts cached and cache-written tokens",
    },
    streams: { directives: "/stream 200 20", does: "streams 200 deltas, 20 ms apart" },
    slow: { directives: "/wait 2000", does: "begins to answer after 2 seconds" },
    hangs: { directives: "/hang", does: "never answers" },
    "fails-with-retry-after": {
      directives: "/fail provider_rate_limited retry_after=7",
      does: "fails with `provider_rate_limited` and a Retry-After of 7",
    },
    ...FAILING,
  }),
);

/** The catalog entries of the simulated models, in the order of their table. All are free. */
export const SIMULATED_MODELS: readonly CatalogModel[] = Array.from(SCENARIO_TABLE, ([name, { group, entry }]) => {
  const settings: readonly Setting[] = group === undefined ? SETTINGS : MODEL_GROUPS[group];
  return Object.freeze({
    id: `${SIMULATED_PROVIDER}/${name}`,
    provider: SIMULATED_PROVIDER,
    upstreamModel: name,
    settings: new Set(settings),
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
    // The largest: only a max_output_tokens of the client cuts output.
    defaultOutputTokens: 128_000,
    thinking: "none",
    forcedToolChoice: true,
    hasEndUserField: true,
    prices: { input: 0, cached_input: 0, cache_write: 0, output: 0 },
    ownedBy: "turngate",
    // 1 January 2026.
    created: 1_767_225_600,
    ...entry,
  } satisfies CatalogModel);
});
