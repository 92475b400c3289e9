// Provider for the Anthropic Messages API.
import type { Provider } from "../../ports/provider.ts";
import { checkByModels, type Endpoint, placeRequest, readEndpoint } from "../endpoint.ts";
import type { CreateKeyCheck, CreateProvider, FamilyEntry } from "../family.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode, reasoningOf, unsupportedOf } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";

/** Value of the header `anthropic-version`. */
export const WIRE_VERSION = "2026-10-21";

const DEFAULT_BASE_URL = "https://api.anthropic.com";

/** Creates a provider of `POST {base_url}/v1/messages`, always streamed. */
export const createAnthropicProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const transport = createTransport({ entry, endpoint: endpointOf(entry), services });

  return {
    name: entry.name,
    reasoningOf,
    unsupportedOf,
    run({ model, prompt, signal, onResponse, onTaken }, receive) {
      const { request, betas, warnings, toolNames } = encode(model, prompt);
      const headers = betas.length === 0 ? [] : ["anthropic-beta", betas.join(",")];
      const round = placeRequest(entry, { path: "/v1/messages", body: request, headers }, model.upstreamModel);
      return transport.post({
        ...round,
        body: JSON.stringify(round.body),
        signal,
        onResponse,
        onTaken,
        read: (head) => createDecoder({ head, prompt, ids, toolNames, receive, preface: warnings }),
        createError(head, body) {
          const response = { head, body, model };
          return entry.host?.errorOfResponse?.(response) ?? errorOfResponse(response);
        },
      });
    },
    close: () => transport.close(),
  };
};

/** Creates the check of a key: the list of models. */
export const createAnthropicKeyCheck: CreateKeyCheck = (entry) => checkByModels(endpointOf(entry), "/v1/models");

/** The endpoint without `/v1`, which operators may or may not write. */
function endpointOf(entry: FamilyEntry): Endpoint {
  if (entry.host !== undefined) return entry.host;
  const keyHeaders = (apiKey: string) => ["x-api-key", apiKey];
  const { baseUrl, headers } = readEndpoint(entry, { baseUrl: DEFAULT_BASE_URL, keyHeaders });
  baseUrl.pathname = baseUrl.pathname.replace(/\/v1\/*$/, "");
  return { baseUrl, headers: ["anthropic-version", WIRE_VERSION, ...headers] };
}
