/** The configuration of the service under test. */
import { baseUrlOf, FAMILIES, type Family } from "../families.ts";
import type { Fault } from "../provider/faults.ts";
import { SHAPES } from "../provider/shapes/shapes.ts";

export interface ServiceConfiguration {
  readonly providerPort: number;
  readonly family: Family;
  /** Keeps the admission limits, so that the service sheds load as in production. */
  readonly hasDefaultAdmission: boolean;
  /** Models without a price: turns hold and pay nothing. */
  readonly isFree: boolean;
}

/** A model whose window fits some fifty items of the history row, so that every long history is cut alike. */
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

/** A `turngate.yaml`. Deletes are limited to one per minute, because the rejections row needs a cheap 429. */
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

/**
 * USD per million tokens, as for a small model. The first organization's million credits last for millions of turns.
 */
const PRICES = "{ input: 0.2, cached_input: 0.02, cache_write: 0.25, output: 0.8 }";
const FREE = "{ input: 0, cached_input: 0, cache_write: 0, output: 0 }";

function modelLine({ id, upstream, window, output }: ModelEntry, prices: string): string {
  const fields = [
    `id: ${id}`,
    "provider: bench",
    `upstream_model: ${upstream}`,
    // Settings that every family supports.
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

/** A configuration with a model of two targets for each state of the first one; null is a sound one. */
export function targetsYaml(
  providerPort: number,
  family: Family,
  states: Readonly<Record<string, Fault | null>>,
): string {
  const provider = (fault?: Fault) => ({
    type: family,
    base_url: baseUrlOf(family, providerPort, fault),
    api_key: "none",
  });
  // JSON is YAML.
  return JSON.stringify({
    providers: {
      second: provider(),
      ...Object.fromEntries(Object.entries(states).map(([name, fault]) => [name, provider(fault ?? undefined)])),
    },
    models: Object.keys(states).map((name) => ({
      id: `bench/${name}`,
      targets: [name, "second"].map((at, index) => ({ provider: at, upstream_model: "fake", order: index + 1 })),
      group: ["text.format"],
      context_window: WIDE.window,
      max_output_tokens: WIDE.output,
      default_output_tokens: 4000,
      prices: { input: 0.2, cached_input: 0.02, cache_write: 0.25, output: 0.8 },
    })),
    catalog: "none",
    limits: { requests_per_minute: { create: 100_000_000 } },
  });
}

/** A configuration with a model for every response shape, and the simulated models. */
export function silenceYaml(providerPort: number): string {
  const lines = ["providers:", "  simulated: { type: simulated }"];
  const models = ["models:"];
  for (const family of FAMILIES) {
    lines.push(`  ${family}: { type: ${family}, base_url: "${baseUrlOf(family, providerPort)}", api_key: none }`);
    for (const name of Object.keys(SHAPES[family])) {
      const fields = [
        `id: shapes/${name}`,
        `provider: ${family}`,
        `upstream_model: ${name}`,
        "group: []",
        "context_window: 10000000",
        // The largest possible response: a lower limit would end it before other limits do.
        "max_output_tokens: 4000000",
        "default_output_tokens: 4000",
        `prices: ${FREE}`,
      ];
      models.push(`  - { ${fields.join(", ")} }`);
    }
  }
  return [...lines, ...models, ""].join("\n");
}
