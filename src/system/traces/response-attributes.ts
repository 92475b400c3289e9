// What OpenTelemetry's GenAI conventions say of a response besides its content: attributes of its span.
import type { Attributes } from "@opentelemetry/api";
import type { ResponseReport, ResponseStart } from "../../ports/telemetry.ts";

/** Known when the response begins. */
export function requestAttributes(response: ResponseStart, providerName: string): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerName,
    "gen_ai.request.model": response.upstreamModel,
    "gen_ai.request.stream": true,
    "gen_ai.request.max_tokens": response.maxOutputTokens,
    ...(response.temperature === null ? {} : { "gen_ai.request.temperature": response.temperature }),
    ...(response.topP === null ? {} : { "gen_ai.request.top_p": response.topP }),
    ...(response.conversationId === null ? {} : { "gen_ai.conversation.id": response.conversationId }),
    ...(response.previousResponseId === null
      ? {}
      : { "gen_ai.request.previous_response.id": response.previousResponseId }),
    "turngate.model": response.model,
    "turngate.response.id": response.responseId,
  };
}

/** Known when it has ended. */
export function responseAttributes(report: ResponseReport): Attributes {
  const { status, code, incompleteReason, usage } = report;
  return {
    "turngate.response.status": status,
    // For a completed response, stop or tool calls would be content, which is not traced.
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

/** A cancelled response is not an error. */
export function isError({ status }: ResponseReport): boolean {
  return status === "failed" || status === "withdrawn" || status === "lost";
}
