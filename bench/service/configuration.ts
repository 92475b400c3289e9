/** The configuration that the service is measured with. */
import { baseUrlOf, type Family } from "../families.ts";

export interface ServiceConfiguration {
  readonly providerPort: number;
  readonly family: Family;
  /** Keep the service's own admission limits, so that it sheds load as it would in use. */
  readonly hasDefaultAdmission: boolean;
  /** Models without a price: no turn then holds or pays anything. */
  readonly isFree: boolean;
}

/** A model whose window holds some fifty items of the history row, so that every long history is cut to the same. */
export const SMALL_MODEL = "bench/small";
const SMALL_WINDOW_TOKENS = 8150;
const SMALL_OUTPUT_TOKENS = 1000;

interface ModelEntry {
  readonly id: string;
  readonly upstream: string;
  readonly window: number;
  readonly output: number;
}

const WIDE = { window: 1_000_000, output: 32_000 };

const MODELS: readonly ModelEntry[] = [
  { id: "bench/fake", upstream: "fake", ...WIDE },
  { id: "bench/fake-burst", upstream: "fake-burst", ...WIDE },
  { id: "bench/fake-paced", upstream: "fake-paced", ...WIDE },
  { id: "bench/fake-idle", upstream: "fake-idle", ...WIDE },
  { id: SMALL_MODEL, upstream: "fake", window: SMALL_WINDOW_TOKENS, output: SMALL_OUTPUT_TOKENS },
];

/** The text of a `turngate.yaml`. Deletes are allowed once a minute: the row of refusals needs a cheap 429. */
export function configurationYaml(configuration: ServiceConfiguration): string {
  const { providerPort, family, hasDefaultAdmission, isFree } = configuration;
  const admission = ["  concurrent_turns: 20000", "  queued_turns: 20000", "  open_streams_per_organization: 20000"];
  return [
    "providers:",
    `  bench: { type: ${family}, base_url: "${baseUrlOf(family, providerPort)}", api_key: none }`,
    "models:",
    ...MODELS.map((entry) => modelLine(entry, isFree ? FREE : PRICES)),
    "catalog: none",
    "limits:",
    ...(hasDefaultAdmission ? [] : admission),
    "  requests_per_minute: { create: 100000000, retrieve: 100000000, delete: 1 }",
    "",
  ].join("\n");
}

/** USD per million tokens: what a small model costs. The first organization's million credits last for millions of turns. */
const PRICES = "{ input: 0.2, cached_input: 0.02, cache_write: 0.25, output: 0.8 }";
const FREE = "{ input: 0, cached_input: 0, cache_write: 0, output: 0 }";

function modelLine({ id, upstream, window, output }: ModelEntry, prices: string): string {
  const fields = [
    `id: ${id}`,
    "provider: bench",
    `upstream_model: ${upstream}`,
    // What every family can carry.
    "group: [text.format]",
    `context_window: ${window}`,
    `max_output_tokens: ${output}`,
    `default_output_tokens: ${Math.min(output, 4000)}`,
    `prices: ${prices}`,
    "owned_by: bench",
    "created: 1760000000",
  ];
  return `  - { ${fields.join(", ")} }`;
}
