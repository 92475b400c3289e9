// Claude on Vertex AI: `POST …/publishers/anthropic/models/{model}:streamRawPredict`. docs/providers/vertex.md
import { parseJson } from "../../base/json.ts";
import type { UpstreamError } from "../../ports/provider.ts";
import type { HostType } from "../host.ts";
import { createResponseError, type ErrorResponse } from "../wire/errors.ts";
import { classifyGoogleResponse, readGoogleReport } from "../wire/google-errors.ts";
import { modelPath, onVertex } from "../wire/vertex.ts";
import { WIRE_VERSION } from "./provider.ts";
import type { WireRequest } from "./wire.ts";

export const CLAUDE_ON_VERTEX: HostType = onVertex({
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

/** The error of Google's servers in front of the model; null for an error of the model's, which has the family's shape. */
function errorOfGoogle(response: ErrorResponse): UpstreamError | null {
  const report = readGoogleReport(parseJson(response.body));
  if (report.status === null) return null;
  return createResponseError(response, classifyGoogleResponse(response, report), report);
}
