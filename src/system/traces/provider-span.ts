// The client span of a turn's provider calls, retries included, by OpenTelemetry's GenAI conventions.
import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import type { TurnReport, TurnStart } from "../../ports/telemetry.ts";

export interface ProviderSpan {
  /** Starts the span, runs the work within it and records when it ended. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Reports output; the first call counts. */
  output(): void;
  /** Ends the span as of the end of the work; does nothing if the provider was never called. */
  end(report: TurnReport): void;
}

/** Creates the span of a turn; it starts with the provider call. */
export function openProviderSpan(
  tracer: Tracer,
  turn: TurnStart,
  providerName: string,
  begunIn: Context,
): ProviderSpan {
  let span: Span | null = null;
  let startedMs = 0;
  let doneMs: number | undefined;
  let hasOutput = false;
  return {
    async during(work) {
      const attributes = requestAttributes(turn, providerName);
      startedMs = performance.now();
      const name = `chat ${turn.upstreamModel}`;
      span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: startedMs }, begunIn);
      try {
        return await context.with(trace.setSpan(begunIn, span), work);
      } finally {
        doneMs = performance.now();
      }
    },
    output() {
      if (hasOutput || span === null) return;
      hasOutput = true;
      span.setAttribute("gen_ai.response.time_to_first_chunk", (performance.now() - startedMs) / 1000);
    },
    end(report) {
      if (span === null) return;
      span.setAttributes(responseAttributes(report));
      if (isError(report)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(doneMs);
    },
  };
}

function requestAttributes(turn: TurnStart, providerName: string): Attributes {
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

function responseAttributes(report: TurnReport): Attributes {
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
function isError({ status }: TurnReport): boolean {
  return status === "failed" || status === "withdrawn" || status === "lost";
}
