// Reports a turn to metrics, traces, the log, and the content export if there is one. docs/observability.md
import type { Plan } from "../../core/turn/plan.ts";
import type { TurnReport, TurnStart } from "../../ports/telemetry.ts";
import type { Services } from "../../ports/services.ts";
import type { RunEnd } from "./run.ts";
import type { RunningTurn } from "./running-turn.ts";

/** The facts about a turn that are reported when it begins. */
export function turnStartOf({ head, model, prompt }: Plan): TurnStart {
  return {
    responseId: head.id,
    model: model.id,
    provider: model.provider,
    upstreamModel: model.upstreamModel,
    conversationId: head.conversationId,
    previousResponseId: head.previousResponseId,
    maxOutputTokens: prompt.maxOutputTokens,
    temperature: prompt.temperature,
    topP: prompt.topP,
  };
}

/**
 * Reports how a run ended; null when its end could not be stored. The log line has the level debug: written always, it
 * would cost 10 µs, a thirtieth of the whole turn.
 */
export function reportEnd(
  { log, clock, contentExport }: Pick<Services, "log" | "clock" | "contentExport">,
  { run, plan, observed, beganMs }: Pick<RunningTurn, "run" | "plan" | "observed" | "beganMs">,
  end: RunEnd | null,
): void {
  const report = reportOf(end);
  observed.ended(report);
  // Only what is stored is exported.
  if (contentExport !== null && end?.kind === "settled" && end.turn.end !== null) {
    contentExport.turnEnded({
      organizationId: run.caller.organizationId,
      start: turnStartOf(plan),
      prompt: plan.prompt,
      output: end.turn.end.output,
      report,
      beganMs,
      endedMs: clock.nowMs(),
    });
  }
  log.debug("turn.ended", {
    response_id: run.head.id,
    organization_id: run.caller.organizationId,
    key_id: run.caller.keyId,
    model: run.head.model,
    status: report.status,
    code: report.code,
    input_tokens: report.usage?.input_tokens,
    output_tokens: report.usage?.output_tokens,
  });
}

function reportOf(end: RunEnd | null): TurnReport {
  if (end?.kind === "withdrawn") {
    return { status: "withdrawn", code: end.error.code, incompleteReason: null, usage: null, charge: null };
  }
  const settled = end?.turn.end ?? null;
  if (settled === null) return { status: "lost", code: null, incompleteReason: null, usage: null, charge: null };
  const { status, error, incompleteReason, usage } = settled;
  return { status, code: error?.code ?? null, incompleteReason, usage, charge: end?.charge ?? null };
}
