// Every model of a test's service as one of three targets, of which two fail: with TEST_TARGETS=SEED (npm run
// test:targets) the tests of a model without targets run on that, since a client must see the same.
import type { CatalogModel, RetryCondition, TargetModel } from "../../src/core/models/catalog.ts";
import {
  type Provider,
  type ProviderRegistry,
  UpstreamError,
  type UpstreamErrorDetail,
} from "../../src/ports/provider.ts";
import { TEST_MODELS, type ServiceSettings } from "./service-config.ts";
import type { Loose } from "./http-client.ts";
import { without } from "./without.ts";
import type { Circuits } from "../../src/flows/providers/circuits.ts";

const SEED = process.env["TEST_TARGETS"];

/** Whether the tests run on models with failing targets. */
const TEST_TARGETS = SEED !== undefined;

/** Those after which a model without targets is repeated too: so its own failures mean the same. */
const RETRY: ReadonlySet<RetryCondition> = new Set(["connection", 503] as const);

const FAILING = /^failing-\d-of-(.+)$/;

/** What the two do, in a random order. They would fail again, so that the third one alone is repeated. */
const FAILURES: readonly Pick<UpstreamErrorDetail, "code" | "status" | "certainlyNotRun">[] = [
  { code: "provider_unavailable", status: null, certainlyNotRun: true },
  { code: "provider_unavailable", status: 503, certainlyNotRun: true },
  { code: "provider_overloaded", status: 503, certainlyNotRun: true },
  // Within a stream.
  { code: "provider_overloaded", status: 200, certainlyNotRun: false },
];

/** The settings of a service whose models have two failing targets before each, in an order that follows from the response. */
export function addFailingTargets(settings: ServiceSettings): ServiceSettings {
  const { models = TEST_MODELS, hasPlainModels = !TEST_TARGETS } = settings;
  return hasPlainModels ? settings : { ...settings, models: models.map(withTargets) };
}

function withTargets(model: CatalogModel): CatalogModel {
  if (model.targets !== undefined) return model;
  const targetAt = (provider: string, order: number): TargetModel => {
    return { ...model, provider, target: `${provider}/${model.upstreamModel}`, order, weight: 1 };
  };
  const failing = [1, 2].map((number) => targetAt(`failing-${number}-of-${model.provider}`, 1));
  return { ...model, targets: [...failing, targetAt(model.provider, 2)], retry: RETRY };
}

/** A response without what only a model with targets has. */
export function asPlain(response: Loose): Loose {
  return TEST_TARGETS ? without(response, "svc:target", "svc:attempts") : response;
}

/** JSON without the failures before a response, which are other ones each time; the JSON may hold JSON as texts. */
export function withoutAttempts(json: string): string {
  return TEST_TARGETS ? json.replaceAll(/attempts(\\*)":\[[^\]]*\]/g, 'attempts$1":[]') : json;
}

/** The providers of a service, with those of the failing targets. */
export function addFailingProviders(providers: ProviderRegistry): ProviderRegistry {
  return {
    get(name) {
      const of = FAILING.exec(name)?.[1];
      return of === undefined ? providers.get(name) : failingProvider(name, providers.get(of));
    },
    close: () => providers.close(),
  };
}

/** No target rests: otherwise three turns would be all that meet the failing ones. */
export function keepAwake(circuits: Circuits): void {
  if (TEST_TARGETS) Object.assign(circuits, { readinessOf: () => ({ restsForMs: 0, askedForMs: 0 }) });
}

function failingProvider(name: string, of: Provider): Provider {
  return {
    name,
    reasoningOf: (model, prompt) => of.reasoningOf(model, prompt),
    unsupportedOf: (model, prompt) => of.unsupportedOf?.(model, prompt) ?? null,
    async run({ onResponse, signal }, receive) {
      // A stopped turn is stopped, whatever is asked.
      if (signal.aborted) throw failureOf(name, FAILURES[0] as (typeof FAILURES)[number]);
      const failure = FAILURES[Math.floor(draw() * FAILURES.length)] as (typeof FAILURES)[number];
      const { status } = failure;
      if (typeof status === "number") onResponse?.({ status, requestId: null });
      if (status === 200) receive([{ type: "usage", usage: NOTHING_YET }]);
      await Promise.resolve();
      throw failureOf(name, failure);
    },
    close: () => Promise.resolve(),
  };
}

function failureOf(provider: string, failure: (typeof FAILURES)[number]): UpstreamError {
  return new UpstreamError({ ...failure, provider, message: "A failing target of the tests.", isLasting: true });
}

const NOTHING_YET = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 10,
};

let state = Number(SEED) >>> 0;

/** The next number of the seed, from 0 to 1 (mulberry32). */
function draw(): number {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
