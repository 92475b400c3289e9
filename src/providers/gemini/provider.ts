// Provider for generateContent of Google's Gemini API.
import type { Provider } from "../../ports/provider.ts";
import { checkByModels, type Endpoint, isKeyRejection, placeRequest, readEndpoint } from "../endpoint.ts";
import type { CreateKeyCheck, CreateProvider, FamilyEntry } from "../family.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode, unsupportedOf } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";
import { traitsOf } from "./model-traits.ts";
import { reportThinking } from "./thinking.ts";

const DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com";
const API_VERSION = "v1beta";

/** Creates a provider of `POST {base_url}/v1beta/models/{model}:streamGenerateContent`, always streamed. */
export const createGeminiProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const transport = createTransport({ entry, endpoint: endpointOf(entry), services });

  return {
    name: entry.name,
    reasoningOf: (model) => reportThinking(model.thinking, traitsOf(model.upstreamModel)),
    unsupportedOf,
    async run({ model, prompt, signal, onResponse }, receive) {
      const { request, toolNames } = encode(model, prompt);
      const decoder = createDecoder({ prompt, ids, toolNames, receive });
      // The provider splits long responses. Each further one takes the same request with the token of the previous one.
      let continuationToken: string | null = null;
      do {
        const isFirst: boolean = continuationToken === null;
        const body = isFirst ? request : { ...request, continuationToken };
        const path = encodePath(model.upstreamModel);
        const round = placeRequest(entry, { path, body, headers: [] }, model.upstreamModel);
        await transport.post({
          ...round,
          body: JSON.stringify(round.body),
          signal,
          onResponse,
          hasRun: !isFirst,
          read: (head) => decoder.read(head),
          createError(head, text) {
            const response = { head, body: text, model };
            return entry.host?.errorOfResponse?.(response) ?? errorOfResponse(response);
          },
        });
        continuationToken = decoder.continuationToken();
      } while (continuationToken !== null);
    },
    close: () => transport.close(),
  };
};

/** Creates the check of a key: the list of models. */
export const createGeminiKeyCheck: CreateKeyCheck = (entry) => {
  const check = checkByModels(endpointOf(entry));
  check.url.searchParams.delete("alt");
  // A wrong key is reported as an invalid argument.
  const isInvalidKey = (status: number, body: string) => status === 400 && body.includes("API_KEY_INVALID");
  return { ...check, rejectsKey: (status, body) => isKeyRejection(status) || isInvalidKey(status, body) };
};

/** The endpoint with the API version, unless its path ends in one, and with the query that requests an event stream. */
function endpointOf(entry: FamilyEntry): Endpoint {
  if (entry.host !== undefined) return entry.host;
  const keyHeaders = (apiKey: string) => ["x-goog-api-key", apiKey];
  const { baseUrl, headers } = readEndpoint(entry, { baseUrl: DEFAULT_BASE_URL, keyHeaders });
  const path = baseUrl.pathname.replace(/\/+$/, "");
  if (!/\/v\d+(alpha|beta)?$/.test(path)) baseUrl.pathname = `${path}/${API_VERSION}`;
  baseUrl.searchParams.set("alt", "sse");
  return { baseUrl, headers };
}

/** The path of a model. The name of a tuned model includes its collection. */
function encodePath(upstreamModel: string): string {
  const name = upstreamModel.includes("/") ? upstreamModel : `models/${upstreamModel}`;
  return `/${name.split("/").map(encodeURIComponent).join("/")}:streamGenerateContent`;
}
