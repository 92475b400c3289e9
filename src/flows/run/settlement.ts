// What a turn that ended is settled as: status, usage, error, and the items that enter the history.
// @spec states-and-transitions, errors/failed-responses
import type { FailureCode } from "../../contract/failures.ts";
import type { OutputItem } from "../../contract/items.ts";
import type { FailureDetail, Usage, Warning } from "../../contract/resources.ts";
import type { TerminalStatus } from "../../contract/statuses.ts";
import { itemSize } from "../../core/history/history-item.ts";
import type { Ladder } from "../../core/turn/ladder.ts";
import type { Plan } from "../../core/turn/plan.ts";
import type { TurnEnd } from "../../core/turn/turn.ts";
import { produced } from "../../core/turn/produced.ts";
import { nowSeconds } from "../../ports/clock.ts";
import { ProviderFailure } from "../../ports/provider.ts";
import type { TurnSettle } from "../../ports/turns.ts";
import type { World } from "../../ports/world.ts";
import type { Asked } from "./ask-provider.ts";
import type { Run } from "./run.ts";
import { SpendingStop } from "../spending/spending-stop.ts";

interface Outcome {
  readonly status: TerminalStatus;
  readonly incompleteReason: string | null;
  readonly error: TurnEnd["error"];
  readonly failure: FailureDetail | null;
}

/** The settlement of a run that has ended; closes its ladder, which emits the last item events. */
export function planSettlement(world: World, run: Run, plan: Plan, asked: Asked, ladder: Ladder): TurnSettle {
  const outcome = outcomeOf(world, run, plan, asked);
  const output = ladder.close(outcome.status === "completed" ? "completed" : "incomplete");
  const end: TurnEnd = {
    ...outcome,
    completedAt: Math.max(run.head.createdAt, nowSeconds(world.clock)),
    output,
    usage: usageOf(plan, asked, outcome.status),
    toolCallsDropped: ladder.callsDropped(),
    warnings: [...(asked.received?.warnings ?? []), ...formatWarning(world, run, outcome, output)],
    providerState: asked.received?.state ?? null,
  };
  const entersHistory = outcome.status !== "failed";
  return {
    responseId: run.head.id,
    end,
    input: plan.input.map(({ item, carried }, index) => ({
      item,
      carried,
      opensTurn: plan.opensTurn && index === 0,
      size: itemSize(item),
    })),
    output: output.map((item) => ({
      item,
      carried: false,
      opensTurn: false,
      size: itemSize(item),
      // A call that was cut short can't be answered: the history leaves it out, its response still shows it.
      listed: entersHistory && !(item.type === "function_call" && item.status !== "completed"),
    })),
    entersHistory,
  };
}

function outcomeOf(world: World, run: Run, plan: Plan, asked: Asked): Outcome {
  const none = { incompleteReason: null, error: null, failure: null };
  switch (run.stopReason) {
    case "cancelled":
      return { status: "cancelled", ...none };
    case "deadline":
      return failed("run_failed", `The turn did not end within ${world.limits.turn_seconds} seconds.`, null);
    case "shutdown":
      return failed("run_failed", "The service stopped before the turn ended.", null);
    case null:
      break;
    default:
      run.stopReason satisfies never;
  }
  const { failure } = asked;
  if (failure instanceof ProviderFailure) return failed(failure.code, failure.message, failure);
  if (failure instanceof SpendingStop) return failed(failure.code, failure.message, null);
  if (failure !== null) {
    world.log.error("turn.fault", { response_id: run.head.id, model: plan.model.id }, failure);
    return failed("run_failed", "The turn did not complete because of an internal fault.", null);
  }
  const reason = asked.received?.incompleteReason ?? null;
  return { ...none, status: reason === null ? "completed" : "incomplete", incompleteReason: reason };
}

/** How a turn that failed ended; `cause` is null where no provider did. */
export function failed(code: FailureCode, message: string, cause: ProviderFailure | null): Outcome {
  return {
    status: "failed",
    incompleteReason: null,
    error: { code, message },
    failure: {
      type: cause === null ? "run" : "provider",
      code,
      message,
      provider: cause?.provider ?? null,
      provider_status: cause?.status ?? null,
      provider_request_id: cause?.requestId ?? null,
      retryable: RETRYABLE.has(code),
    },
  };
}

/** Failures after which the same request may succeed. */
const RETRYABLE: ReadonlySet<FailureCode> = new Set([
  "provider_error",
  "provider_overloaded",
  "provider_rate_limited",
  "provider_unavailable",
  "run_failed",
]);

/** Of this round: the provider's count, or what was produced where the provider could not tell any more. */
function usageOf(plan: Plan, asked: Asked, status: TerminalStatus): Usage {
  const told = asked.received?.usage ?? null;
  if (told !== null && (status === "completed" || status === "incomplete")) return told;
  return produced(plan.promptCharacters, asked.received?.outputCharacters ?? 0, told);
}

/** Output that breaks its json_schema is returned as it came, with a warning (docs/wire.md, settled 13). */
function formatWarning(world: World, run: Run, outcome: Outcome, output: readonly OutputItem[]): Warning[] {
  const { format } = run.head.text;
  if (format.type !== "json_schema" || outcome.status !== "completed") return [];
  // With a call the answer is still to come, and a commentary is none.
  if (output.some((item) => item.type === "function_call")) return [];
  const texts = output.flatMap((item) => (item.type === "message" && item.phase !== "commentary" ? item.content : []));
  if (texts.length === 0 || texts.some((part) => part.type === "refusal")) return [];
  const text = texts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
  if (world.jsonSchemas.accepts(format.schema, text)) return [];
  return [
    { code: "output_not_valid", message: "The output does not satisfy the json_schema of text.format.", param: "text" },
  ];
}
