// OpenAI Responses without its storage: every round sends the whole history.
import type { Provider } from "../../ports/provider.ts";
import { DOCUMENT_CHARACTERS_MAX } from "../wire/bounds.ts";
import { readApiKey, readBaseUrl } from "../endpoint.ts";
import type { CreateProvider } from "../family.ts";
import { reportEffort } from "../wire/reasoning.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";

export const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** A provider of `POST {base_url}/responses`, always streamed. */
export const createOpenAiProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    entry,
    baseUrl: readBaseUrl(entry, DEFAULT_BASE_URL),
    headers: apiKey === null ? [] : ["authorization", `Bearer ${apiKey}`],
    services,
  });

  return {
    name: entry.name,
    reasoningOf: reportEffort,
    run({ model, prompt, cacheKey, signal, onResponse }, receive) {
      const { request, toolNames } = encode(model, prompt, cacheKey());
      const body = JSON.stringify(request);
      return transport.post({
        path: "/responses",
        body,
        // The first events and the last one repeat instructions and tools; the last one also has the whole output.
        lineCharactersMax: DOCUMENT_CHARACTERS_MAX + 2 * body.length,
        signal,
        onResponse,
        read: (head) => createDecoder({ head, prompt, ids, toolNames, receive, model }),
        createError: (head, text) => errorOfResponse({ head, body: text, model }),
      });
    },
    close: () => transport.close(),
  };
};
