// Decodes the bytes of a response without a network.
import { createDecoder } from "../../src/providers/openai-compatible/decode.ts";
import { sampleHead, samplePrompt } from "../support/provider-samples.ts";
import { type Decoded, readResponse } from "../support/read-response.ts";
import type { Prompt } from "../../src/core/response/prompt.ts";
import type { ProviderPart } from "../../src/ports/provider.ts";

/** The prompt of the corpus: one character of text, and a call whose id is taken. */
export const CORPUS_PROMPT: Prompt = samplePrompt([
  { type: "message", role: "user", text: "?" },
  { type: "call", callId: "call_0", name: null, arguments: "{}" },
]);

/** Decodes a response that arrives in these pieces; a failure ends it. */
export function decodeBytes(pieces: Iterable<Uint8Array>, keepsReasoning = true): Decoded {
  const parts: ProviderPart[] = [];
  let minted = 0;
  const reader = createDecoder({
    head: sampleHead({ provider: "local" }),
    prompt: CORPUS_PROMPT,
    keepsReasoning,
    receive: (ready) => void parts.push(...ready),
    ids: { mintCallId: () => `minted_${++minted}` },
    toolNames: { fromWire: (name) => name },
  });
  const failure = readResponse(reader, pieces);
  return { parts, failure };
}
