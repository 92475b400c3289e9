// The settlement of a response: its status, usage, error, and the items that enter the history.
// @spec states-and-transitions, errors/failed-responses
import { type FailureCode, PROVIDER_FAILURE_CODES } from "../../contract/failures.ts";
import type { OutputItem } from "../../contract/items.ts";
import type { Usage, Warning } from "../../contract/resources.ts";
import type { TerminalStatus } from "../../contract/statuses.ts";
import { itemSize } from "../../core/history/history-item.ts";
import { keptState } from "../../core/models/targets.ts";
import type { ResponseEnd } from "../../core/response/response.ts";
import { CallsDeleted } from "../../core/response/plan.ts";
import { partialUsage } from "../../core/response/partial-usage.ts";
import { nowSeconds } from "../../ports/clock.ts";
import { UpstreamError } from "../../ports/provider.ts";
import type { ResponseSettle } from "../../ports/store/responses.ts";
import type { Services } from "../../ports/services.ts";
import type { Run } from "./run.ts";
import { type RunFailure, StartDenied } from "./run-failure.ts";
import { countedModel, type RunningResponse } from "./running-response.ts";
import { SpendingStop } from "../money/spending-stop.ts";

type SettlementNeeds = Pick<Services, "clock" | "limits" | "log" | "jsonSchemas">;

/** How a response ended, without its output. */
export type Outcome = Pick<ResponseEnd, "status" | "incompleteReason" | "error" | "failure">;

/**
 * Plans the settlement of a response. Finishes its output, which emits the last item events. `failure` is null when the
 * model ended or the run was stopped.
 */
export function planSettlement(
  services: SettlementNeeds,
  response: Pick<RunningResponse, "run" | "provider" | "targets" | "output" | "recorder">,
  failure: RunFailure | null,
): ResponseSettle {
  const { run, targets } = response;
  const { plan, report } = response.output;
  const outcome = outcomeOf(services, response, failure);
  const output = response.output.finish(outcome.status === "completed" ? "completed" : "incomplete");
  const end: ResponseEnd = {
    ...outcome,
    completedAt: Math.max(run.head.createdAt, nowSeconds(services.clock)),
    output,
    usage: usageOf(response, outcome.status),
    toolCallsDropped: response.output.callsDropped(),
    warnings: [...plan.laterWarnings, ...report.warnings, ...formatWarning(services, run, outcome, output)],
    providerState: keptState(plan.model, report.state ?? null, output),
    ...ranAt(response),
    ...(plan.promptCharacters === run.head.promptCharacters ? {} : { promptCharacters: plan.promptCharacters }),
  };
  const entersHistory = outcome.status !== "failed";
  return {
    responseId: run.head.id,
    end,
    record: response.recorder.finish(),
    countedModel: countedModel(plan),
    ...(targets === null ? {} : { prices: targets.holdOf(plan)?.funds.prices ?? null }),
    input: plan.input.map(({ item, carried, answers }, index) => ({
      item,
      carried,
      answers,
      opensTurn: plan.opensTurn && index === 0,
      size: itemSize(item),
    })),
    output: output.map((item) => ({
      item,
      carried: false,
      answers: null,
      opensTurn: false,
      size: itemSize(item),
      // A call that was cut short takes no output: the history leaves it out, its response still shows it.
      listed: entersHistory && !(item.type === "function_call" && item.status !== "completed"),
    })),
    entersHistory,
  };
}

/** Where it ran, if its model has targets and one was asked. */
function ranAt({
  output: { plan },
  provider,
  recorder,
}: Pick<RunningResponse, "output" | "provider" | "recorder">): Pick<ResponseEnd, "ranAt"> {
  const { target } = plan.model;
  if (target === undefined || !recorder.hasCalled()) return {};
  const reasoning = provider.reasoningOf(plan.model, plan.prompt);
  return { ranAt: { target, startedMs: recorder.calledMs, attempts: recorder.failedBefore(), reasoning } };
}

function outcomeOf(
  services: SettlementNeeds,
  { run, output }: Pick<RunningResponse, "run" | "output">,
  failure: RunFailure | null,
): Outcome {
  const none = { incompleteReason: null, error: null, failure: null };
  switch (run.stopReason) {
    case "cancelled":
      return { status: "cancelled", ...none };
    case "deadline":
      return failed("run_failed", `The turn did not end within ${services.limits.turn_seconds} seconds.`, null);
    case "gave_way":
      return failed(
        "run_failed",
        "The provider sent nothing while other turns waited for the memory that this one held.",
        null,
      );
    case "shutdown":
      return failed("run_failed", "The service stopped before the turn ended.", null);
    case null:
      break;
    default:
      run.stopReason satisfies never;
  }
  if (failure instanceof UpstreamError) return failed(failure.code, failure.message, failure);
  if (failure instanceof SpendingStop) return failed(failure.code, failure.message, null);
  if (failure instanceof StartDenied || failure instanceof CallsDeleted)
    return failed("run_failed", failure.message, null, true);
  if (failure !== null) {
    services.log.error("turn.fault", { response_id: run.head.id, model: output.plan.model.id }, failure.cause);
    return failed("run_failed", "The turn did not complete because of an internal fault.", null);
  }
  const { incompleteReason } = output.report;
  return { ...none, status: incompleteReason === null ? "completed" : "incomplete", incompleteReason };
}

/**
 * The outcome of a failed response; `cause` is null when the failure is not the provider's. `isLasting`: whether a
 * retry would fail the same way, although its code is one after which it may succeed.
 */
export function failed(
  code: FailureCode,
  message: string,
  cause: UpstreamError | null,
  isLasting = cause?.isLasting ?? false,
): Outcome {
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
      retryable: RETRYABLE.has(code) && !isLasting,
    },
  };
}

/** Failures after which the same request may succeed, unless its cause lasts. docs/wire.md (Objects) */
const RETRYABLE: ReadonlySet<FailureCode> = new Set([...PROVIDER_FAILURE_CODES, "run_failed"]);

/** The usage of this round: the provider's, or an estimate if the response ended before the final report. */
function usageOf({ output }: Pick<RunningResponse, "output">, status: TerminalStatus): Usage {
  const { usage } = output.report;
  if (usage !== null && (status === "completed" || status === "incomplete")) return usage;
  return partialUsage(output.plan, output.produced, usage);
}

/** The warning for output that does not satisfy its json_schema. docs/wire.md (Invalid structured output) */
function formatWarning(
  services: SettlementNeeds,
  run: Run,
  outcome: Outcome,
  output: readonly OutputItem[],
): Warning[] {
  const { format } = run.head.text;
  if (format.type !== "json_schema" || outcome.status !== "completed") return [];
  // A response with a tool call is not final, and a commentary is not the answer.
  if (output.some((item) => item.type === "function_call")) return [];
  const texts = output.flatMap((item) => (item.type === "message" && item.phase !== "commentary" ? item.content : []));
  if (texts.length === 0 || texts.some((part) => part.type === "refusal")) return [];
  const text = texts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
  if (services.jsonSchemas.accepts(format.schema, text)) return [];
  return [
    { code: "output_not_valid", message: "The output does not satisfy the json_schema of text.format.", param: "text" },
  ];
}
