// Which targets rest, on this node: a target that keeps failing is left alone for a while, and one that asked for a
// wait until that is over.
//
//              3 failures in a row              the rest is over
//   closed ───────────────────────▶ open ─────────────────────────▶ half-open: one turn tries it
//     ▲                              ▲                                   │            │
//     │                              └── it fails: twice as long a rest ─┘            │
//     └──────────────────────────────── it answers ───────────────────────────────────┘
//
// A rest is a preference: where all targets of a model rest, the one that wakes first is tried all the same.
// docs/fallbacks.md, docs/decisions/targets.md
import { PROVIDER_FAILURE_CODES } from "../../contract/failures.ts";
import type { Clock } from "../../ports/clock.ts";
import type { UpstreamError } from "../../ports/provider.ts";

/** One or two failures in a row say little. */
const FAILURES_MAX = 3;
/** The first rest, milliseconds: long enough to spare a provider that restarts. */
const REST_MS = 10_000;
/** The longest one: an hour of outage costs thirty turns a try. */
const REST_MS_MAX = 120_000;
/** The longest wait that a provider may ask for, milliseconds. */
const ASKED_MS_MAX = 3_600_000;

/** A target's circuit as operators see it. */
export interface CircuitState {
  readonly state: "closed" | "open" | "half_open";
  /** Until it is tried again before others; 0: it does not rest. */
  readonly restsForMs: number;
  /** Failures in a row. */
  readonly failures: number;
}

/** When a target can be asked. */
export interface Readiness {
  /** Milliseconds until it wakes; 0: it is awake. */
  readonly restsForMs: number;
  /** How much of it the provider asked for, by Retry-After. */
  readonly askedForMs: number;
}

/** A call of a target. One of the two is called when it has ended; neither when it was stopped. */
export interface WatchedCall {
  /** The target has begun its output. */
  outputBegan(): void;
  /** The call ended well; or with a failure. */
  ended(failure: UpstreamError | null): void;
  /** The call is over, whether it ended or was stopped; harmless when repeated. */
  release(): void;
}

/** The circuits of the targets that were asked, by name. */
export interface Circuits {
  readinessOf(target: string): Readiness;
  /** Called before a target is asked. */
  watch(target: string): WatchedCall;
  stateOf(target: string): CircuitState;
}

interface Circuit {
  failures: number;
  /** Rests in a row. */
  rests: number;
  /** When the rest is over; null: closed. */
  openUntilMs: number | null;
  /** The call that tries it after a rest. */
  trial: WatchedCall | null;
  askedUntilMs: number;
}

/** Creates the circuits of a process, all closed. Its memory grows with the number of targets' names only. */
export function createCircuits(clock: Pick<Clock, "monotonicMs">): Circuits {
  const circuits = new Map<string, Circuit>();
  const find = (target: string): Circuit => {
    const known = circuits.get(target);
    if (known !== undefined) return known;
    const fresh: Circuit = { failures: 0, rests: 0, openUntilMs: null, trial: null, askedUntilMs: 0 };
    circuits.set(target, fresh);
    return fresh;
  };

  function readinessOf(target: string): Readiness {
    const circuit = circuits.get(target);
    if (circuit === undefined) return AWAKE;
    const nowMs = clock.monotonicMs();
    const askedForMs = Math.max(0, circuit.askedUntilMs - nowMs);
    const openForMs = circuit.openUntilMs === null ? 0 : Math.max(0, circuit.openUntilMs - nowMs);
    // While one turn tries it, the others wait for the result.
    const triedForMs = circuit.trial === null ? 0 : TRIED_MS;
    return { restsForMs: Math.max(askedForMs, openForMs, triedForMs), askedForMs };
  }

  function close(circuit: Circuit): void {
    circuit.failures = 0;
    circuit.rests = 0;
    circuit.openUntilMs = null;
    circuit.trial = null;
  }

  function countFailure(circuit: Circuit, { retryAfterSeconds }: UpstreamError, isTrial: boolean): void {
    const nowMs = clock.monotonicMs();
    if (retryAfterSeconds !== null && retryAfterSeconds > 0) {
      circuit.askedUntilMs = nowMs + Math.min(retryAfterSeconds * 1000, ASKED_MS_MAX);
      return;
    }
    circuit.failures++;
    // While it is open, only its trial counts: most other calls began before it opened.
    if (circuit.openUntilMs === null ? circuit.failures < FAILURES_MAX : !isTrial) return;
    circuit.openUntilMs = nowMs + Math.min(REST_MS * 2 ** circuit.rests, REST_MS_MAX);
    circuit.rests++;
  }

  return {
    readinessOf,
    watch(target) {
      const circuit = find(target);
      const call: WatchedCall = {
        outputBegan() {
          if (circuit.trial === call) close(circuit);
        },
        ended(failure) {
          const isTrial = circuit.trial === call;
          if (failure !== null && PROVIDER_FAILURE_CODES.has(failure.code)) countFailure(circuit, failure, isTrial);
          else if (circuit.openUntilMs === null || isTrial) close(circuit);
          call.release();
        },
        release() {
          if (circuit.trial === call) circuit.trial = null;
        },
      };
      // Also before the rest is over, where all targets of a model rest.
      if (circuit.openUntilMs !== null) circuit.trial ??= call;
      return call;
    },
    stateOf(target) {
      const circuit = circuits.get(target);
      const { restsForMs } = readinessOf(target);
      if (circuit === undefined) return { state: "closed", restsForMs, failures: 0 };
      const isOpen = circuit.openUntilMs !== null && circuit.openUntilMs > clock.monotonicMs();
      const state = circuit.openUntilMs === null ? "closed" : isOpen ? "open" : "half_open";
      return { state, restsForMs, failures: circuit.failures };
    },
  };
}

const AWAKE: Readiness = { restsForMs: 0, askedForMs: 0 };

/** A target that one call is trying rests for the others: briefly, because that call may be answered at any moment. */
const TRIED_MS = 1;
