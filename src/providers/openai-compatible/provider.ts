// Chat completions: the wire of Ollama, vLLM, llama.cpp, LM Studio and the like.
import type { Provider } from "../../ports/provider.ts";
import { type ProviderFamily, readApiKey, readBaseUrl } from "../family.ts";
import { reportEffort } from "../reasoning.ts";
import { createTransport } from "../transport.ts";
import { createDecoder } from "./decode.ts";
import { encode } from "./encode.ts";
import { refusedFailure } from "./failures.ts";

/** A provider of `POST {base_url}/chat/completions`, always streamed. */
export const createOpenAiCompatibleProvider: ProviderFamily = (entry, { clock, ids }): Provider => {
  const apiKey = readApiKey(entry);
  const transport = createTransport({
    provider: entry.name,
    baseUrl: readBaseUrl(entry),
    headers: apiKey === null ? [] : ["authorization", `Bearer ${apiKey}`],
    clock,
  });

  return {
    name: entry.name,
    reasoningOf: reportEffort,
    run({ model, prompt, signal }, receive) {
      const { request, toolNames } = encode(model, prompt);
      return transport.post({
        path: "/chat/completions",
        body: JSON.stringify(request),
        signal,
        read: (head) =>
          createDecoder({
            head,
            apiKey,
            prompt,
            originalToolName: (name) => toolNames.fromWire(name),
            mintCallId: () => ids.mintCallId(),
            receive,
          }),
        refuse: (head, body) => refusedFailure({ head, body, apiKey, model, nowMs: clock.nowMs() }),
      });
    },
    close: () => transport.close(),
  };
};
