// Anthropic Messages.
import type { Provider } from "../../ports/provider.ts";
import { type FamilyEntry, type ProviderFamily, readApiKey, readBaseUrl } from "../family.ts";
import { createTransport } from "../transport.ts";
import { createDecoder } from "./decode.ts";
import { encode, reasoningOf } from "./encode.ts";
import { refusedFailure } from "./failures.ts";

/** Where the provider is when nobody says otherwise. */
const DEFAULT_BASE_URL = "https://api.anthropic.com";

/** The version of the wire that this family speaks. */
export const WIRE_VERSION = "2026-10-21";

/** A provider of `POST {base_url}/v1/messages`, always streamed. */
export const createAnthropicProvider: ProviderFamily = (entry, { clock, ids }): Provider => {
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    provider: entry.name,
    baseUrl: readMessagesUrl(entry),
    headers: ["anthropic-version", WIRE_VERSION, ...(apiKey === null ? [] : ["x-api-key", apiKey])],
    clock,
  });

  return {
    name: entry.name,
    reasoningOf,
    run({ model, prompt, signal }, receive) {
      const { request, betas, warnings, toolNames } = encode(model, prompt);
      return transport.post({
        path: "/v1/messages",
        body: JSON.stringify(request),
        ...(betas.length === 0 ? {} : { headers: ["anthropic-beta", betas.join(",")] }),
        signal,
        read: (head) =>
          createDecoder({
            head,
            apiKey,
            preface: warnings,
            prompt,
            mintCallId: () => ids.mintCallId(),
            originalToolName: (name) => toolNames.fromWire(name),
            receive,
          }),
        refuse: (head, body) => refusedFailure({ head, body, apiKey, model, nowMs: clock.nowMs() }),
      });
    },
    close: () => transport.close(),
  };
};

/** The address before `/v1`: written with it or without it, it is the same. */
export function readMessagesUrl(entry: FamilyEntry): URL {
  const url = readBaseUrl({ ...entry, baseUrl: entry.baseUrl ?? DEFAULT_BASE_URL });
  url.pathname = url.pathname.replace(/\/v1\/*$/, "");
  return url;
}
