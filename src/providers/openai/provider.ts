// OpenAI Responses without its storage: every round sends the whole history.
import { type Provider, type ProviderCall, type Receive } from "../../ports/provider.ts";
import { EVENT_CHARACTERS_MAX } from "../wire/bounds.ts";
import { bearerHeaders, checkByModels, type Endpoint, readEndpoint } from "../endpoint.ts";
import type { CreateKeyCheck, CreateProvider, FamilyEntry } from "../family.ts";
import { reportEffort } from "../wire/reasoning.ts";
import { createTransport } from "../wire/transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { errorOfResponse, rejectsInclude } from "./failures.ts";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** A provider of `POST {base_url}/responses`, always streamed. */
export const createOpenAiProvider: CreateProvider = (entry, services): Provider => {
  const { ids } = services;
  const transport = createTransport({ entry, endpoint: endpointOf(entry), services });
  /** The upstream models for which the server has rejected `include`: those that do not reason. */
  const withoutInclude = new Set<string>();

  /** `onIncludeRejected`: the server has rejected the `include` of this call; later calls of the model have none. */
  function send(call: ProviderCall, receive: Receive, onIncludeRejected = () => {}): Promise<void> {
    const { model, prompt, cacheKey, signal, onResponse, onTaken } = call;
    const { upstreamModel } = model;
    const server = { isDeployment: entry.host !== undefined, rejectsInclude: withoutInclude.has(upstreamModel) };
    const { request, toolNames } = encode(model, prompt, cacheKey(), server);
    const body = JSON.stringify(request);
    return transport.post({
      path: "/responses",
      body,
      // The first events and the last one repeat instructions and tools; the last one also has the whole output.
      eventCharactersMax: EVENT_CHARACTERS_MAX + 2 * body.length,
      signal,
      onResponse,
      onTaken,
      read: (head) => createDecoder({ head, prompt, ids, toolNames, receive, model }),
      createError(head, text) {
        if (!server.rejectsInclude && rejectsInclude(head.status, text)) {
          withoutInclude.add(upstreamModel);
          onIncludeRejected();
        }
        const response = { head, body: text, model };
        return entry.host?.errorOfResponse?.(response) ?? errorOfResponse(response);
      },
    });
  }

  return {
    name: entry.name,
    reasoningOf: reportEffort,
    async run(call, receive) {
      let isIncludeRejected = false;
      try {
        await send(call, receive, () => (isIncludeRejected = true));
      } catch (error) {
        if (!isIncludeRejected) throw error;
        // Rejected, so nothing has run.
        await send(call, receive);
      }
    },
    close: () => transport.close(),
  };
};

/** Creates the check of a key: the list of models. */
export const createOpenAiKeyCheck: CreateKeyCheck = (entry) => checkByModels(endpointOf(entry));

function endpointOf(entry: FamilyEntry): Endpoint {
  return entry.host ?? readEndpoint(entry, { baseUrl: DEFAULT_BASE_URL, keyHeaders: bearerHeaders });
}
