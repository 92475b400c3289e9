// Gemini on Vertex AI: `POST …/publishers/google/models/{model}:streamGenerateContent?alt=sse`. docs/providers/vertex.md
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { HostType } from "../host.ts";
import { modelPath, onVertex } from "../wire/vertex.ts";
import type { WireRequest } from "./encode.ts";
import type { WireContent } from "./messages.ts";

/** The version of the API that Google's own client asks for. */
export const GEMINI_ON_VERTEX: HostType = onVertex({
  publisher: "google",
  version: "v1beta1",
  query: "alt=sse",
  changes: {
    place({ body, headers }, upstreamModel) {
      const { contents, ...rest } = body as WireRequest;
      return {
        path: modelPath(upstreamModel, "streamGenerateContent"),
        body: { ...rest, contents: contents.map(withoutIds) },
        headers,
      };
    },
  },
});

/** Vertex AI rejects the ids of calls and of their results, and pairs them by their order, which is the same. */
function withoutIds({ role, parts }: WireContent): { readonly role: string; readonly parts: readonly JsonObject[] } {
  return { role, parts: parts.map((part) => withoutId(withoutId({ ...part }, "functionCall"), "functionResponse")) };
}

function withoutId(part: JsonObject, key: "functionCall" | "functionResponse"): JsonObject {
  const value = part[key];
  if (!isJsonObject(value) || value.id === undefined) return part;
  const { id: _, ...rest } = value;
  return { ...part, [key]: rest };
}
