// OpenAI Responses without its storage: every round sends the whole history.
import type { Provider } from "../../ports/provider.ts";
import { EVENT_CHARACTERS_MAX } from "../wire/bounds.ts";
import { bearerHeaders, checkByModels, type Endpoint, readEndpoint } from "../endpoint.ts";
import type { CreateKeyCheck, CreateProvider, FamilyEntry } from "../family.ts";
import { reportEffort } from "../wire/reasoning.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { errorOfResponse } from "./failures.ts";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** A provider of `POST {base_url}/responses`, always streamed. */
export const createOpenAiProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const transport = createTransport({ entry, endpoint: endpointOf(entry), services });

  return {
    name: entry.name,
    reasoningOf: reportEffort,
    run({ model, prompt, cacheKey, signal, onResponse }, receive) {
      const { request, toolNames } = encode(model, prompt, cacheKey(), entry.host !== undefined);
      const body = JSON.stringify(request);
      return transport.post({
        path: "/responses",
        body,
        // The first events and the last one repeat instructions and tools; the last one also has the whole output.
        eventCharactersMax: EVENT_CHARACTERS_MAX + 2 * body.length,
        signal,
        onResponse,
        read: (head) => createDecoder({ head, prompt, ids, toolNames, receive, model }),
        createError(head, text) {
          const response = { head, body: text, model };
          return entry.host?.errorOfResponse?.(response) ?? errorOfResponse(response);
        },
      });
    },
    close: () => transport.close(),
  };
};

/** Creates the check of a key: the list of models. */
export const createOpenAiKeyCheck: CreateKeyCheck = (entry) => checkByModels(endpointOf(entry));

function endpointOf(entry: FamilyEntry): Endpoint {
  return entry.host ?? readEndpoint(entry, { baseUrl: DEFAULT_BASE_URL, keyHeaders: bearerHeaders });
}
