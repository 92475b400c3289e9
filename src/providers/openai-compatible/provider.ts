// Chat completions: the wire of Ollama, vLLM, llama.cpp, LM Studio and the like.
import type { Provider } from "../../ports/provider.ts";
import { bearerHeaders, checkByModels, type Endpoint, readEndpoint } from "../endpoint.ts";
import type { CreateKeyCheck, CreateProvider, FamilyEntry } from "../family.ts";
import { reportEffort } from "../wire/reasoning.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";
import { traitsOf } from "./model-traits.ts";

/** A provider of `POST {base_url}/chat/completions`, always streamed. */
export const createOpenAiCompatibleProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const transport = createTransport({ entry, endpoint: endpointOf(entry), services });

  return {
    name: entry.name,
    reasoningOf: reportEffort,
    run({ model, prompt, signal, onResponse, onTaken }, receive) {
      const { request, toolNames } = encode(model, prompt);
      const keepsReasoning = traitsOf(model).replaysReasoning;
      return transport.post({
        path: "/chat/completions",
        body: JSON.stringify(request),
        signal,
        onResponse,
        onTaken,
        read: (head) => createDecoder({ head, prompt, ids, toolNames, receive, keepsReasoning }),
        createError: (head, body) => errorOfResponse({ head, body, model }),
      });
    },
    close: () => transport.close(),
  };
};

/** Creates the check of the server, and of the key if there is one: nearly every server lists its models. */
export const createOpenAiCompatibleKeyCheck: CreateKeyCheck = (entry) => checkByModels(endpointOf(entry));

function endpointOf(entry: FamilyEntry): Endpoint {
  return readEndpoint(entry, { keyHeaders: bearerHeaders });
}
