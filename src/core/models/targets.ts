// The targets of a model: the order in which a turn tries them, and the round states that each of them gets back.
// docs/decisions/targets.md
import { fractionOf } from "../../base/fraction-of.ts";
import type { OutputItem } from "../../contract/items.ts";
import type { RoundState } from "../response/response.ts";
import type { CatalogModel, TargetModel } from "./catalog.ts";

/**
 * The targets in the order in which a turn tries them: `first`, where its earlier rounds ran, then by order, and within
 * an order a weighted draw. The draw follows from the seed alone, so that a turn's order follows from its id.
 */
export function rankTargets(
  targets: readonly TargetModel[],
  { seed, first }: { readonly seed: string; readonly first: string | null },
): readonly TargetModel[] {
  const places = new Map(targets.map((target) => [target, drawPlace(target, seed)]));
  const placeOf = (target: TargetModel) => places.get(target) ?? 0;
  return targets.toSorted((one, other) => {
    if (one.target === first || other.target === first) return one.target === first ? -1 : 1;
    if (one.order !== other.order) return one.order - other.order;
    return placeOf(one) === placeOf(other) ? 0 : placeOf(one) - placeOf(other);
  });
}

/**
 * The place of a target; the smallest comes first. Places are drawn from exponential distributions with the weights as
 * rates, so the chance to be first is in proportion to the weight. A target of weight 0 comes last.
 */
function drawPlace({ target, weight }: TargetModel, seed: string): number {
  return weight === 0 ? Number.POSITIVE_INFINITY : -Math.log(fractionOf(`${seed} ${target}`)) / weight;
}

/** The names of the targets of models, each once: models may share some. */
export function namesOfTargets(models: readonly CatalogModel[]): readonly string[] {
  return [...new Set(models.flatMap(({ targets = [] }) => targets.map(({ target }) => target)))];
}

/** The name of the target that ran a round, in its stored state. */
const TARGET = "turngate:target";

/** The state of a round as it is stored: with its target, if its model has targets and the turn may continue. */
export function keptState({ target }: CatalogModel, state: unknown, output: readonly OutputItem[]): unknown {
  if (target === undefined) return state;
  const mayContinue = output.some(({ type }) => type === "function_call");
  return state === null && !mayContinue ? null : { [TARGET]: target, state };
}

/** The target that ran the latest of some rounds; null: none did. */
export function targetOfRounds(rounds: readonly RoundState[]): string | null {
  const latest = rounds.at(-1)?.state;
  return isOfTarget(latest) ? latest[TARGET] : null;
}

/**
 * The round states that a model is sent again: those of its own rounds, and with targets of the rounds at this target.
 */
export function statesFor({ id, target }: CatalogModel, rounds: readonly RoundState[]): readonly RoundState[] {
  return rounds.flatMap((round) => {
    if (round.model !== id) return [];
    if (!isOfTarget(round.state)) return target === undefined ? [round] : [];
    const { [TARGET]: ranAt, state } = round.state;
    return ranAt === target && state !== null ? [{ ...round, state }] : [];
  });
}

interface TargetState {
  readonly [TARGET]: string;
  readonly state: unknown;
}

function isOfTarget(state: unknown): state is TargetState {
  return typeof state === "object" && state !== null && TARGET in state;
}
