// OpenAI Responses, without its store: every round carries its whole history.
import type { Provider } from "../../ports/provider.ts";
import { DOCUMENT_CHARACTERS_MAX } from "../bounds.ts";
import { type FamilyEntry, type ProviderFamily, readApiKey, readBaseUrl } from "../family.ts";
import { reportEffort } from "../reasoning.ts";
import { createTransport } from "../transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { refusedFailure } from "./failures.ts";

const BASE_URL = "https://api.openai.com/v1";

/** A provider of `POST {base_url}/responses`, always streamed. */
export const createOpenAiProvider: ProviderFamily = (entry, { clock, ids }): Provider => {
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    provider: entry.name,
    baseUrl: readAddress(entry),
    headers: apiKey === null ? [] : ["authorization", `Bearer ${apiKey}`],
    clock,
  });

  return {
    name: entry.name,
    reasoningOf: reportEffort,
    run({ model, prompt, cacheKey, signal }, receive) {
      const { request, toolNames } = encode(model, prompt, cacheKey());
      const body = JSON.stringify(request);
      return transport.post({
        path: "/responses",
        body,
        // The first events and the last one repeat instructions and tools, the last one the whole output too.
        lineCharactersMax: DOCUMENT_CHARACTERS_MAX + 2 * body.length,
        signal,
        read: (head) =>
          createDecoder({
            head,
            apiKey,
            model,
            prompt,
            originalToolName: (name) => toolNames.fromWire(name),
            mintCallId: () => ids.mintCallId(),
            receive,
          }),
        refuse: (head, text) => refusedFailure({ head, body: text, apiKey, model, nowMs: clock.nowMs() }),
      });
    },
    close: () => transport.close(),
  };
};

/** OpenAI's own address, unless the entry says another. */
export function readAddress(entry: FamilyEntry): URL {
  return readBaseUrl({ ...entry, baseUrl: entry.baseUrl ?? BASE_URL });
}
