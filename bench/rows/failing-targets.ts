/** P21: the latency that gateways add to a turn whose first target is healthy, failing or resting. */
import { baseUrlOf, DEFAULT_FAMILY } from "../families.ts";
import { exchangeOk } from "../load/exchange.ts";
import { openLoop } from "../load/open-loop.ts";
import { inspectResponse } from "../load/preflight.ts";
import { requestBytes, type RequestParts } from "../load/request.ts";
import { chatTurn, INPUT, responsesTurn } from "../load/turn.ts";
import { warmedBy } from "../load/warm-up.ts";
import { startLitellm } from "../peers/litellm.ts";
import { startPortkey } from "../peers/portkey.ts";
import type { Child } from "../process/child.ts";
import { COUNTS_PATH, type Fault } from "../provider/faults.ts";
import type { Figure, Metrics, Row, Side, Stage } from "../row.ts";
import { targetsYaml } from "../service/configuration.ts";
import { startTurngate } from "../service/turngate.ts";

/** Turns a second: half of what one process of LiteLLM serves, with two calls a turn. Too few for a p99. */
const RATE = 20;
const WARM_SECONDS = 6;
/** A gateway asks the first target at each turn while it fails, and at next to none while it rests. */
const ASKED_MIN = 0.8;
const RESTING_MAX = 0.1;

/** The first target in each state; the second one is always sound. */
const FIRST_TARGETS: Readonly<Record<string, Fault | null>> = {
  healthy: null,
  failing: "failing",
  resting: "down",
};
const STATES = Object.keys(FIRST_TARGETS);
const PEERS = ["Portkey", "LiteLLM"] as const;
type Gateway = "turngate" | (typeof PEERS)[number];

export const failingTargets: Row = {
  seconds: 6,
  figures: STATES.flatMap((state) => [
    figure(state, "Portkey", `added latency at ${RATE} turns/s, first target ${state}, p50 ÷ Portkey's`),
    figure(state, "LiteLLM", "the same ÷ LiteLLM's"),
  ]),
  start: async (_ids, stage) => {
    const portkey = await startPortkey(stage, async ({ port }) => {
      const { median = 0 } = await measureAt(port, portkeyTurn(stage, "healthy"), 2);
      return -median;
    });
    const turngate = stage.keep(
      await startTurngate({ ...stage, configuration: targetsYaml(stage.providerPort, stage.family, FIRST_TARGETS) }),
    );
    const litellm = await startLitellm(litellmConfiguration(stage)).then(stage.keep, (error: unknown) => String(error));
    const sides: Side[] = [{ name: "direct", measure: (seconds) => measureAt(stage.providerPort, DIRECT, seconds) }];
    // oxlint-disable no-await-in-loop -- each is inspected by itself
    for (const state of STATES) {
      sides.push(await openSide(stage, "turngate", turngate, state, turngateTurn(turngate.headers, state)));
      sides.push(await openSide(stage, "Portkey", portkey, state, portkeyTurn(stage, state)));
      sides.push(
        typeof litellm === "string"
          ? { name: sideName("LiteLLM", state), measure: async () => NOT_MEASURED }
          : await openSide(stage, "LiteLLM", litellm, state, chatTurn({ ...TURN, model: state })),
      );
    }
    return {
      sides,
      warmSeconds: WARM_SECONDS,
      notes: [
        `P21: ${portkey.name}, which has no circuit: it asks a failing target at each turn`,
        typeof litellm === "string"
          ? `P21: LiteLLM could not be measured: ${litellm.split("\n")[0]}`
          : `P21: ${litellm.name}, one process without a database`,
      ],
    };
  },
};

const NOT_MEASURED: Metrics = { median: Number.NaN };
const TURN = { model: "fake", isStream: false } as const;
const DIRECT = chatTurn(TURN);

function turngateTurn(headers: Readonly<Record<string, string>>, state: string): RequestParts {
  return { ...responsesTurn({ ...TURN, headers }), body: { model: `bench/${state}`, input: INPUT } };
}

/** The first target of a state and the second one, as the peers reach them. */
function addressesOf({ providerPort }: Stage, state: string): readonly [string, string] {
  const sound = baseUrlOf(DEFAULT_FAMILY, providerPort);
  const fault = FIRST_TARGETS[state] ?? null;
  return [fault === null ? sound : baseUrlOf(DEFAULT_FAMILY, providerPort, fault), sound];
}

function portkeyTurn(stage: Stage, state: string): RequestParts {
  const targets = addressesOf(stage, state).map((custom_host) => ({
    provider: "openai",
    api_key: "none",
    custom_host,
  }));
  const config = JSON.stringify({ strategy: { mode: "fallback" }, targets });
  return chatTurn({ ...TURN, headers: { "x-portkey-config": config } });
}

function litellmConfiguration(stage: Stage): object {
  const deployment = (model_name: string, api_base: string, model_info?: object) => ({
    model_name,
    litellm_params: { model: "openai/fake", api_base, api_key: "none" },
    ...(model_info !== undefined && { model_info }),
  });
  // By default it lets no deployment rest that is the only one of its name.
  const resting = {
    cooldown_time: 3600,
    allowed_fails_policy: { ServiceUnavailableErrorAllowedFails: 2, InternalServerErrorAllowedFails: 2 },
  };
  return {
    model_list: [
      ...STATES.map((state) =>
        deployment(state, addressesOf(stage, state)[0], state === "resting" ? resting : undefined),
      ),
      deployment("second", addressesOf(stage, "healthy")[1]),
    ],
    router_settings: { num_retries: 0, fallbacks: STATES.map((state) => ({ [state]: ["second"] })) },
  };
}

function sideName(gateway: Gateway, state: string): string {
  return `${gateway} ${state}`;
}

async function openSide(
  stage: Stage,
  gateway: Gateway,
  child: Child,
  state: string,
  parts: RequestParts,
): Promise<Side> {
  const name = sideName(gateway, state);
  const fault = FIRST_TARGETS[state] ?? null;
  // Every second turn fails over: the slower half.
  const middle = state === "failing" ? "p75" : "p50";
  async function measure(seconds: number, triesLeft = 3): Promise<Metrics> {
    const before = await countCalls(stage, fault);
    const metrics = await measureAt(child.port, parts, seconds, middle);
    const share = ((await countCalls(stage, fault)) - before) / (RATE * seconds);
    if (state === "failing" ? share >= ASKED_MIN : !rests(gateway, state) || share <= RESTING_MAX) return metrics;
    // A pause of the machine can change the order of the responses, and let a failing target rest.
    if (triesLeft > 1) return measure(seconds, triesLeft - 1);
    throw new Error(`${name}: the first target was asked by ${Math.round(share * 100)} % of the turns`);
  }
  const side: Side = { name, measure: (seconds) => measure(seconds) };
  // Many turns at once would see the responses of a failing target in another order, and let it rest.
  return state === "failing" ? side : warmedBy(requestBytes(parts), child, side);
}

function rests(gateway: Gateway, state: string): boolean {
  return state === "resting" && gateway !== "Portkey";
}

/** `middle`: the quantile that is the median of the turns in question. */
async function measureAt(port: number, parts: RequestParts, seconds: number, middle = "p50"): Promise<Metrics> {
  await inspectResponse(port, parts);
  const metrics = await openLoop({ port, rate: RATE, seconds, request: requestBytes(parts), seed: RATE });
  return { median: metrics[middle] ?? Number.NaN };
}

async function countCalls({ providerPort }: Stage, fault: Fault | null): Promise<number> {
  const counts = JSON.parse(await exchangeOk(providerPort, { method: "GET", path: COUNTS_PATH })) as Record<
    Fault,
    number
  >;
  return fault === null ? 0 : counts[fault];
}

function figure(state: string, peer: (typeof PEERS)[number], measure: string): Figure {
  const addedBy =
    (gateway: Gateway): Figure["ours"] =>
    (read) =>
      read(sideName(gateway, state), "median") - read("direct", "median");
  const [ours, other] = [addedBy("turngate"), addedBy(peer)];
  return { id: "P21", measure, unit: "ms", better: "lower", ours, other, otherName: peer };
}
