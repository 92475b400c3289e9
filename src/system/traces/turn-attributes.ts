// What OpenTelemetry's GenAI conventions say of a turn besides its content: attributes of its span.
import type { Attributes } from "@opentelemetry/api";
import type { TurnReport, TurnStart } from "../../ports/telemetry.ts";

/** Known when the turn begins. */
export function requestAttributes(turn: TurnStart, providerName: string): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerName,
    "gen_ai.request.model": turn.upstreamModel,
    "gen_ai.request.stream": true,
    "gen_ai.request.max_tokens": turn.maxOutputTokens,
    ...(turn.temperature === null ? {} : { "gen_ai.request.temperature": turn.temperature }),
    ...(turn.topP === null ? {} : { "gen_ai.request.top_p": turn.topP }),
    ...(turn.conversationId === null ? {} : { "gen_ai.conversation.id": turn.conversationId }),
    ...(turn.previousResponseId === null ? {} : { "gen_ai.request.previous_response.id": turn.previousResponseId }),
    "turngate.model": turn.model,
    "turngate.response.id": turn.responseId,
  };
}

/** Known when it has ended. */
export function responseAttributes(report: TurnReport): Attributes {
  const { status, code, incompleteReason, usage } = report;
  return {
    "turngate.response.status": status,
    // For a completed turn, stop or tool calls would be content, which is not traced.
    ...(incompleteReason === null ? {} : { "gen_ai.response.finish_reasons": [incompleteReason] }),
    ...(isError(report) ? { "error.type": code ?? "_OTHER", "gen_ai.response.finish_reasons": ["error"] } : {}),
    ...(usage === null
      ? {}
      : {
          "gen_ai.usage.input_tokens": usage.input_tokens,
          "gen_ai.usage.cache_read.input_tokens": usage.input_tokens_details.cached_tokens,
          "gen_ai.usage.cache_write.input_tokens": usage.input_tokens_details.cache_write_tokens,
          "gen_ai.usage.output_tokens": usage.output_tokens,
          "gen_ai.usage.reasoning.output_tokens": usage.output_tokens_details.reasoning_tokens,
        }),
  };
}

/** A cancelled turn is not an error. */
export function isError({ status }: TurnReport): boolean {
  return status === "failed" || status === "withdrawn" || status === "lost";
}
