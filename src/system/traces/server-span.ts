// The server span of a request, by OpenTelemetry's HTTP conventions. It has the route instead of the path, which is a
// client's text.
import { type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { RequestEnd, RequestStart } from "../../ports/telemetry.ts";

/** Methods that are recorded; any other method is a client's text. */
const METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
  "QUERY",
]);
const OTHER_METHOD = "_OTHER";

/** Starts a span with a name like `POST /v1/responses`. */
export function openServerSpan(tracer: Tracer, { operation, route, request }: RequestStart, parent: Context): Span {
  const { method = "" } = request;
  const isKnown = METHODS.has(method);
  const name = isKnown ? method : "HTTP";
  return tracer.startSpan(
    route === null ? name : `${name} ${route}`,
    {
      kind: SpanKind.SERVER,
      attributes: {
        "http.request.method": isKnown ? method : OTHER_METHOD,
        "url.scheme": "http",
        "turngate.operation": operation,
        ...(route === null ? {} : { "http.route": route, "url.path": route }),
      },
    },
    parent,
  );
}

/** Ends the span. Only a 5xx makes it an error span, a client's error does not. */
export function endServerSpan(span: Span, { status, code, isStream }: RequestEnd): void {
  if (span.isRecording()) {
    if (status !== null) span.setAttribute("http.response.status_code", status);
    if (code !== null) span.setAttribute("turngate.error.code", code);
    span.setAttribute("turngate.stream", isStream);
    if (status !== null && status >= 500) {
      span.setAttribute("error.type", code ?? String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
  }
  span.end();
}
