// The settlement of a turn of which nothing is known but that it will not end any other way. @spec errors/failed-responses
import { NO_USAGE } from "../../core/turn/usage.ts";
import type { TurnEnd, TurnHead } from "../../core/turn/turn.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { World } from "../../ports/world.ts";
import { failed } from "./settlement.ts";

/** Settles a turn as failed `run_failed`, without output; answers that end, or null when it was not running any more. */
export async function settleAsRunFailed(
  world: World,
  head: Pick<TurnHead, "id" | "createdAt">,
  message: string,
): Promise<TurnEnd | null> {
  const end: TurnEnd = {
    ...failed("run_failed", message, null),
    completedAt: Math.max(head.createdAt, nowSeconds(world.clock)),
    output: [],
    usage: NO_USAGE,
    toolCallsDropped: 0,
    warnings: [],
    providerState: null,
  };
  const settled = { responseId: head.id, end, input: [], output: [], entersHistory: false };
  return (await world.store.settleTurn(settled)) === null ? null : end;
}
