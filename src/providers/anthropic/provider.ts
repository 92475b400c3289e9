// Provider for the Anthropic Messages API.
import type { Provider } from "../../ports/provider.ts";
import { readApiKey, readBaseUrl } from "../endpoint.ts";
import type { CreateProvider, FamilyEntry } from "../family.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode, reasoningOf } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";

const DEFAULT_BASE_URL = "https://api.anthropic.com";

/** Value of the header `anthropic-version`. */
export const WIRE_VERSION = "2026-10-21";

/** Creates a provider of `POST {base_url}/v1/messages`, always streamed. */
export const createAnthropicProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    entry,
    baseUrl: readApiUrl(entry),
    headers: ["anthropic-version", WIRE_VERSION, ...(apiKey === null ? [] : ["x-api-key", apiKey])],
    services,
  });

  return {
    name: entry.name,
    reasoningOf,
    run({ model, prompt, signal, onResponse }, receive) {
      const { request, betas, warnings, toolNames } = encode(model, prompt);
      return transport.post({
        path: "/v1/messages",
        body: JSON.stringify(request),
        ...(betas.length === 0 ? {} : { headers: ["anthropic-beta", betas.join(",")] }),
        signal,
        onResponse,
        read: (head) => createDecoder({ head, prompt, ids, toolNames, receive, preface: warnings }),
        createError: (head, body) => errorOfResponse({ head, body, model }),
      });
    },
    close: () => transport.close(),
  };
};

/** The base URL without `/v1`, which operators may or may not write. Throws an Error for the operator. */
export function readApiUrl(entry: FamilyEntry): URL {
  const url = readBaseUrl(entry, DEFAULT_BASE_URL);
  url.pathname = url.pathname.replace(/\/v1\/*$/, "");
  return url;
}
