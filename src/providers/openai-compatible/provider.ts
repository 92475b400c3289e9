// Chat completions: the wire of Ollama, vLLM, llama.cpp, LM Studio and the like.
import type { Provider } from "../../ports/provider.ts";
import { readApiKey, readBaseUrl } from "../endpoint.ts";
import type { CreateProvider } from "../family.ts";
import { reportEffort } from "../wire/reasoning.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";
import { traitsOf } from "./model-traits.ts";

/** A provider of `POST {base_url}/chat/completions`, always streamed. */
export const createOpenAiCompatibleProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    entry,
    baseUrl: readBaseUrl(entry),
    headers: apiKey === null ? [] : ["authorization", `Bearer ${apiKey}`],
    services,
  });

  return {
    name: entry.name,
    reasoningOf: reportEffort,
    run({ model, prompt, signal, onResponse }, receive) {
      const { request, toolNames } = encode(model, prompt);
      const keepsReasoning = traitsOf(model).replaysReasoning;
      return transport.post({
        path: "/chat/completions",
        body: JSON.stringify(request),
        signal,
        onResponse,
        read: (head) => createDecoder({ head, prompt, ids, toolNames, receive, keepsReasoning }),
        createError: (head, body) => errorOfResponse({ head, body, model }),
      });
    },
    close: () => transport.close(),
  };
};
