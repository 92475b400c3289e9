// Metrics of requests and responses: counts, durations, tokens and credits, and how much of the limits they take now.
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";
import type { ServiceLimits } from "../../contract/limits.ts";
import type { Usage } from "../../contract/resources.ts";
import { NANO_PER_CREDIT } from "../../core/money/credits.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  ObservedRequest,
  ObservedResponse,
  Occupancy,
  RequestEnd,
  RequestStart,
  Telemetry,
  ResponseReport,
  ResponseStart,
} from "../../ports/telemetry.ts";
import { createCounter, createHistogram } from "./series.ts";

/** From a read of one row to the longest wait (90 s) and the longest stream (300 s), seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 90, 180, 300];

/** The `status` of a request whose body never arrived completely. */
const NO_STATUS = "none";

export function createRequestTelemetry(
  registry: Registry,
  clock: Clock,
): Pick<Telemetry, "requestStarted" | "requestUnparsed"> {
  const requests = createCounter({
    name: "turngate_requests_total",
    help: "Completed requests.",
    labelNames: ["operation", "status"],
    registry,
  });
  const errors = createCounter({
    name: "turngate_refusals_total",
    help: "Requests that got an error response, by its code.",
    labelNames: ["operation", "code"],
    registry,
  });
  const duration = createHistogram({
    name: "turngate_request_duration_seconds",
    help: "From a request's head to the end of its response or stream.",
    labelNames: ["operation", "stream"],
    buckets: REQUEST_BUCKETS,
    registry,
  });

  function count(operation: string, status: number | null, code: string | null): void {
    requests([operation, String(status ?? NO_STATUS)]);
    if (code !== null) errors([operation, code]);
  }

  return {
    requestStarted({ operation }: RequestStart): ObservedRequest {
      const startedMs = clock.monotonicMs();
      return {
        during: (work) => work(),
        ended({ status, code, isStream }: RequestEnd) {
          count(operation, status, code);
          if (status === null) return;
          duration([operation, String(isStream)], (clock.monotonicMs() - startedMs) / 1000);
        },
      };
    },
    requestUnparsed: (status, code) => count("unparsed", status, code),
  };
}

/** From a simulated model to the longest that a response may run by default, seconds. */
const TURN_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 90, 180, 300, 600];
/** Finer around a second, where people notice the wait. */
const FIRST_OUTPUT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 40, 90];
const QUEUE_BUCKETS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export function createResponseTelemetry(
  registry: Registry,
  clock: Clock,
): Pick<Telemetry, "responseStarted" | "createFailed"> {
  const responses = createCounter({
    name: "turngate_turns_total",
    help: "Turns that ended.",
    labelNames: ["model", "provider", "status", "code"],
    registry,
  });
  const failures = createCounter({
    name: "turngate_failures_total",
    help: "Failed creates, however their failure was delivered.",
    labelNames: ["kind", "code", "model", "provider"],
    registry,
  });
  const duration = createHistogram({
    name: "turngate_turn_duration_seconds",
    help: "From a turn's begin until its end is stored.",
    labelNames: ["model"],
    buckets: TURN_BUCKETS,
    registry,
  });
  const firstOutput = createHistogram({
    name: "turngate_turn_first_output_seconds",
    help: "From a turn's begin to its first output.",
    labelNames: ["model"],
    buckets: FIRST_OUTPUT_BUCKETS,
    registry,
  });
  const queued = createHistogram({
    name: "turngate_turn_queue_seconds",
    help: "From a turn's begin to its provider call: the wait for a slot.",
    labelNames: [],
    buckets: QUEUE_BUCKETS,
    registry,
  });
  const targetCalls = createCounter({
    name: "turngate_target_calls_total",
    help: "Calls of the targets of models; code: why one failed.",
    labelNames: ["model", "target", "code"],
    registry,
  });
  const tokens = createCounter({
    name: "turngate_tokens_total",
    help: "Tokens used; the kinds do not overlap.",
    labelNames: ["model", "kind"],
    registry,
  });
  const charged = createCounter({
    name: "turngate_credits_charged_total",
    help: "Credits charged for turns.",
    labelNames: ["model"],
    registry,
  });
  const shortfall = createCounter({
    name: "turngate_credits_shortfall_total",
    help: "Credits charged for turns that neither hold nor balance could pay: the service bears them.",
    labelNames: ["model"],
    registry,
  });

  return {
    createFailed({ kind, code, model, provider }) {
      failures([kind, code, ...[model, provider].filter((label) => label !== null)]);
    },
    responseStarted({ countedModel: model, provider }: ResponseStart): ObservedResponse {
      const startedMs = clock.monotonicMs();
      const elapsedSeconds = () => (clock.monotonicMs() - startedMs) / 1000;
      let hasOutput = false;
      let ranAt = provider;
      return {
        providerCall(call) {
          queued([], elapsedSeconds());
          return call();
        },
        targetCalled({ target, provider: asked, code }) {
          ranAt = asked;
          targetCalls(code === null ? [model, target] : [model, target, code]);
        },
        output() {
          if (hasOutput) return;
          hasOutput = true;
          firstOutput([model], elapsedSeconds());
        },
        ended({ status, code, usage, charge }: ResponseReport) {
          responses(code === null ? [model, ranAt, status] : [model, ranAt, status, code]);
          duration([model], elapsedSeconds());
          if (usage !== null) {
            for (const [kind, amount] of splitUsage(usage)) if (amount > 0) tokens([model, kind], amount);
          }
          if (charge !== null) {
            charged([model], toCredits(charge.chargedNano));
            shortfall([model], toCredits(charge.shortfallNano));
          }
        },
      };
    },
  };
}

/** Credits as a double, which is enough for a graph; the ledger has the exact amount. */
export function toCredits(nano: bigint): number {
  return Number(nano) / Number(NANO_PER_CREDIT);
}

/** Splits usage into kinds that add up to its total; each kind has its own price. */
export function splitUsage(usage: Usage): readonly (readonly [kind: string, tokens: number])[] {
  const { cached_tokens: cached, cache_write_tokens: written } = usage.input_tokens_details;
  const { reasoning_tokens: reasoning } = usage.output_tokens_details;
  return [
    ["input", usage.input_tokens - cached - written],
    ["cached_input", cached],
    ["cache_write", written],
    ["output", usage.output_tokens - reasoning],
    ["reasoning", reasoning],
  ];
}

/** What is known of the targets. */
export interface TargetStates {
  /** How long a target rests from now on, milliseconds. */
  stateOf(target: string): { readonly restsForMs: number };
}

/** Adds which of the targets rest now, read at each scrape. */
export function addTargetGauge(
  registry: Registry,
  { targets, circuits }: { readonly targets: () => readonly string[]; readonly circuits: TargetStates },
): void {
  const gauge: Gauge = new Gauge({
    name: "turngate_target_resting",
    help: "1 while a target rests on this node, because it keeps failing or has asked for a wait.",
    labelNames: ["target"],
    registers: [registry],
    collect() {
      gauge.reset();
      for (const target of targets()) gauge.set({ target }, circuits.stateOf(target).restsForMs > 0 ? 1 : 0);
    },
  });
}

/** Adds the current occupancy and the limits that it approaches, read at each scrape. */
export function addOccupancyGauges(
  registry: Registry,
  occupancy: () => Occupancy,
  limits: Pick<ServiceLimits, "concurrent_turns" | "queued_turns">,
): void {
  const add = (name: string, help: string, read: () => number) => {
    const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
  };
  add("turngate_turns_running", "Turns that hold a slot.", () => occupancy().responsesRunning);
  add("turngate_turns_running_limit", "Number of slots (concurrent_turns).", () => limits.concurrent_turns);
  add("turngate_turns_queued", "Turns that wait for a slot.", () => occupancy().responsesQueued);
  add("turngate_turns_queued_limit", "Places in the queue (queued_turns).", () => limits.queued_turns);
  add(
    "turngate_creates_admitted",
    "Creates between arrival and begin, and turns being settled.",
    () => occupancy().createsAdmitted,
  );
  add("turngate_open_streams", "Open streams.", () => occupancy().openStreams);
  add("turngate_node_member", "1 while this process holds its lease as a node.", () => Number(occupancy().isMember));
  add("turngate_draining", "1 while the service drains and rejects new work.", () => Number(occupancy().isDraining));
}
