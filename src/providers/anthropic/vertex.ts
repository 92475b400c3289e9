// Claude on Vertex AI: `POST …/publishers/anthropic/models/{model}:streamRawPredict`. docs/providers/vertex.md
import { isJsonObject, parseJson } from "../../base/json.ts";
import type { UpstreamError } from "../../ports/provider.ts";
import type { HostKind } from "../host.ts";
import { classifyResponse, createResponseError, type ErrorResponse } from "../wire/errors.ts";
import { readText } from "../wire/json-shape.ts";
import { modelPath, onVertex } from "../wire/vertex.ts";
import { WIRE_VERSION } from "./provider.ts";
import type { WireRequest } from "./wire.ts";

export const CLAUDE_ON_VERTEX: HostKind = onVertex({
  publisher: "anthropic",
  version: "v1",
  changes: {
    place({ body, headers }, upstreamModel) {
      // The path has the model. The version stands in the body, as Anthropic's own client for Vertex sends it.
      const { model: _, ...rest } = body as WireRequest;
      return {
        path: modelPath(upstreamModel, "streamRawPredict"),
        body: { anthropic_version: WIRE_VERSION, ...rest },
        headers,
      };
    },
    errorOfResponse: errorOfGoogle,
  },
});

/**
 * The error of Google's servers in front of the model: `{error: {code, message, status}}`, alone or first in an array;
 * null for an error of the model's, which has the family's shape.
 */
function errorOfGoogle(response: ErrorResponse): UpstreamError | null {
  const outer: unknown = parseJson(response.body);
  const first: unknown = Array.isArray(outer) ? outer[0] : outer;
  const error = isJsonObject(first) ? first.error : undefined;
  const status = isJsonObject(error) ? readText(error.status) : null;
  if (!isJsonObject(error) || status === null) return null;
  const report = { message: readText(error.message), words: [status] };
  // The project has not enabled the model, or may not use it.
  const isOurs = response.head.status === 400 && status === "FAILED_PRECONDITION";
  return createResponseError(response, isOurs ? "account_fault" : classifyResponse(response, report), report);
}
