// Provider for generateContent of Google's Gemini API.
import type { Provider } from "../../ports/provider.ts";
import { readApiKey, readBaseUrl } from "../endpoint.ts";
import type { CreateProvider, FamilyEntry } from "../family.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";
import { traitsOf } from "./model-traits.ts";
import { reportThinking } from "./thinking.ts";

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";
const API_VERSION = "v1beta";

/** Creates a provider of `POST {base_url}/v1beta/models/{model}:streamGenerateContent`, always streamed. */
export const createGeminiProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    entry,
    baseUrl: readApiUrl(entry),
    headers: apiKey === null ? [] : ["x-goog-api-key", apiKey],
    services,
  });

  return {
    name: entry.name,
    reasoningOf: (model) => reportThinking(model.thinking, traitsOf(model.upstreamModel)),
    async run({ model, prompt, signal, onResponse }, receive) {
      const { request, toolNames } = encode(model, prompt);
      const decoder = createDecoder({ prompt, ids, toolNames, receive });
      // The provider splits long responses. Each further one takes the same request with the token of the previous one.
      let continuationToken: string | null = null;
      do {
        const isFirst: boolean = continuationToken === null;
        await transport.post({
          path: encodePath(model.upstreamModel),
          body: JSON.stringify(isFirst ? request : { ...request, continuationToken }),
          signal,
          onResponse,
          hasRun: !isFirst,
          read: (head) => decoder.read(head),
          createError: (head, body) => errorOfResponse({ head, body, model }),
        });
        continuationToken = decoder.continuationToken();
      } while (continuationToken !== null);
    },
    close: () => transport.close(),
  };
};

/**
 * The base URL with the API version, unless it ends in one, and the query that requests an event stream. Throws an Error for the operator.
 */
export function readApiUrl(entry: FamilyEntry): URL {
  const url = readBaseUrl(entry, DEFAULT_BASE_URL);
  const path = url.pathname.replace(/\/+$/, "");
  if (!/\/v\d+(alpha|beta)?$/.test(path)) url.pathname = `${path}/${API_VERSION}`;
  url.searchParams.set("alt", "sse");
  return url;
}

/** The path of a model. The name of a tuned model includes its collection. */
function encodePath(upstreamModel: string): string {
  const name = upstreamModel.includes("/") ? upstreamModel : `models/${upstreamModel}`;
  return `/${name.split("/").map(encodeURIComponent).join("/")}:streamGenerateContent`;
}
