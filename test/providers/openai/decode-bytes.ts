// Decodes the bytes of a response without a network.
import { createDecoder } from "../../../src/providers/openai/decode.ts";
import { sampleHead, sampleModel, samplePrompt } from "../../support/provider-samples.ts";
import { type Decoded, readResponse } from "../../support/read-response.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import type { Prompt } from "../../../src/core/response/prompt.ts";

/** One character of text, and a call whose id is taken. */
const PROMPT: Prompt = samplePrompt([
  { type: "message", role: "user", text: "?" },
  { type: "call", callId: "call_0", name: null, arguments: "{}" },
]);

/** Decodes a response that arrives in these pieces; a failure ends it. */
export function decodeBytes(pieces: Iterable<Uint8Array>): Decoded {
  const parts: ProviderPart[] = [];
  let minted = 0;
  const reader = createDecoder({
    head: sampleHead({ provider: "openai" }),
    model: sampleModel({ upstreamModel: "gpt" }),
    prompt: PROMPT,
    receive: (ready) => void parts.push(...ready),
    toolNames: { fromWire: (name) => name },
    ids: { mintCallId: () => `minted_${++minted}` },
  });
  const failure = readResponse(reader, pieces);
  return { parts, failure };
}
