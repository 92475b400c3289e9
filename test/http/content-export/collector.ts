// A collector that takes spans by OTLP over HTTP, as JSON, and keeps them.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly traceId: string;
  readonly spanId: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
}

/** Starts it for the length of a test. A silent one reads requests and never answers. */
export async function startCollector(t: TestContext, { isSilent = false } = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    requests.push({ path: request.url ?? "", headers: request.headers, body });
    if (isSilent) return;
    spans.push(...readSpans(body));
    response.setHeader("content-type", "application/json").end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, spans, requests };
}

interface Value {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

function readSpans(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: {
      scopeSpans: { spans: (Omit<ReceivedSpan, "attributes"> & { attributes: { key: string; value: Value }[] })[] }[];
    }[];
  };
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, readValue(value)])),
    }));
}

function readValue({ stringValue, boolValue, intValue, doubleValue, arrayValue }: Value): unknown {
  return (
    stringValue ??
    boolValue ??
    doubleValue ??
    (intValue === undefined ? undefined : Number(intValue)) ??
    arrayValue?.values.map(readValue)
  );
}
