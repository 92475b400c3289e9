// Vertex AI as a fake provider: what Google's servers check before the model, and the models behind them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GEMINI_KEY, GEMINI_WIRE } from "./fake-gemini.ts";
import { MESSAGES_KEY, MESSAGES_WIRE } from "./fake-messages.ts";
import type { FakeRequest, Wire } from "./fake-provider.ts";
import type { ApiError } from "./fake-stream.ts";
import type { Loose } from "./http-client.ts";

/** The project and region of the fake. */
export const VERTEX_PLACE = { project: "my-project", region: "europe-west1" };

const PATH =
  /^\/(?<version>v1|v1beta1)\/projects\/my-project\/locations\/europe-west1\/publishers\/(?<publisher>google|anthropic)\/models\/(?<model>[^/:?]+):(?<method>\w+)(?<query>\?alt=sse)?$/;
const LOCATION = "/v1/projects/my-project/locations/europe-west1";

/** A region of a project whose tokens are those that `isValidToken` accepts. */
export function vertexWire(isValidToken: (token: string) => boolean): Wire {
  const familyOf = (request: FakeRequest) => (readPath(request).publisher === "google" ? GEMINI_WIRE : MESSAGES_WIRE);
  return {
    basePath: "",
    check(request) {
      const { url, headers } = request;
      const found = PATH.exec(url);
      if (found === null && url !== LOCATION) {
        const isOther = /\/projects\/(?!my-project\/)/.test(url);
        if (isOther) return errorOf(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied.");
        return errorOf(404, "NOT_FOUND", `The requested URL ${url} was not found on this server.`);
      }
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
      if (token === undefined || !isValidToken(token)) {
        return errorOf(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
      }
      if (found === null) return { status: 200, message: "none", body: { name: LOCATION } };
      const { model } = readPath(request);
      if (model === "gone") return errorOf(404, "NOT_FOUND", "Publisher Model `gone` was not found.");
      if (model === "busy") return errorOf(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", [RETRY]);
      return checkAsFamily(request) ?? familyOf(request).check(asFamily(request));
    },
    read: (request) => familyOf(request).read(asFamily(request)),
    respond: (request, response) => familyOf(request).respond(asFamily(request), response),
  };
}

/** In an array, as Google sends errors of streams. */
function errorOf(code: number, status: string, message: string, details: readonly object[] = []): ApiError {
  return { status: code, message, body: [{ error: { code, message, status, details } }] };
}

const RETRY = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "8.2s" };

function readPath({ url }: FakeRequest): Loose {
  return PATH.exec(url)?.groups ?? {};
}

/** What is valid at the family's maker and not here. */
function checkAsFamily(request: FakeRequest): ApiError | null {
  const { version, publisher, method, query } = readPath(request);
  const { headers, body } = request;
  const invalid = (message: string) => errorOf(400, "INVALID_ARGUMENT", message);
  if (publisher === "google") {
    if (version !== "v1beta1" || method !== "streamGenerateContent" || query === undefined) return invalid("method");
    const hasId = JSON.stringify(body.contents).match(/"function(?:Call|Response)":\{"id":/) !== null;
    return hasId ? invalid(`Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field.`) : null;
  }
  if (version !== "v1" || method !== "streamRawPredict") return invalid("method");
  if (headers["anthropic-version"] !== undefined) return invalid("anthropic-version: only in the body");
  if (body.anthropic_version !== "2026-10-21") return invalid("anthropic_version: Field required");
  return body.model === undefined ? null : invalid("model: Extra inputs are not permitted");
}

/** The request as the family's maker takes it. */
function asFamily(request: FakeRequest): FakeRequest {
  const { publisher, model } = readPath(request);
  const { authorization: _, ...headers } = request.headers;
  if (publisher === "google") {
    return {
      ...request,
      url: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      headers: { ...headers, "x-goog-api-key": GEMINI_KEY },
      body: { ...request.body, contents: withIds(request.body.contents) },
    };
  }
  const { anthropic_version, ...body } = request.body;
  return {
    ...request,
    url: "/v1/messages",
    headers: { ...headers, "anthropic-version": anthropic_version, "x-api-key": MESSAGES_KEY },
    body: { ...body, model },
  };
}

/** Pairs calls with results by their order, as the models do. */
function withIds(contents: Loose[]): Loose[] {
  let calls = 0;
  let results = 0;
  return contents.map(({ role, parts }) => ({
    role,
    parts: parts.map((part: Loose) => {
      if (part.functionCall !== undefined) {
        return { ...part, functionCall: { id: `call_${calls++}`, ...part.functionCall } };
      }
      if (part.functionResponse === undefined) return part;
      return { ...part, functionResponse: { id: `call_${results++}`, ...part.functionResponse } };
    }),
  }));
}

/** A metadata server, which gives the machine's service account its tokens. */
export async function startMetadataServer(token: () => { readonly token: string; readonly seconds: number }) {
  let asked = 0;
  const server = createServer((request, response) => {
    response.setHeader("metadata-flavor", "Google");
    if (request.headers["metadata-flavor"] !== "Google") {
      response.writeHead(403).end();
      return;
    }
    if (!/\/token(?:\?|$)/.test(request.url ?? "")) {
      response.end("{}");
      return;
    }
    asked++;
    const { token: access_token, seconds } = token();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ access_token, expires_in: seconds, token_type: "Bearer" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    asked: () => asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
