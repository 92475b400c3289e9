// Decodes the bytes of a round's responses without a network.
import { createDecoder } from "../../../src/providers/gemini/decode.ts";
import { sampleHead, samplePrompt } from "../../support/provider-samples.ts";
import { type Decoded, readResponse } from "../../support/read-response.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import type { Prompt } from "../../../src/core/response/prompt.ts";

interface DecodedRound extends Decoded {
  /** The tokens with which further responses were requested. */
  readonly tokens: readonly string[];
}

/** One character of text, and a call whose id is taken. */
const PROMPT: Prompt = samplePrompt([
  { type: "message", role: "user", text: "?" },
  { type: "call", callId: "call_0", name: null, arguments: "{}" },
]);

/** Decodes the responses of one round, each in its pieces; a failure ends it. */
export function decodeBytes(responses: readonly Iterable<Uint8Array>[]): DecodedRound {
  const parts: ProviderPart[] = [];
  const tokens: string[] = [];
  let minted = 0;
  const decoder = createDecoder({
    prompt: PROMPT,
    receive: (ready) => void parts.push(...ready),
    ids: { mintCallId: () => `minted_${++minted}` },
    toolNames: { fromWire: (name) => name },
  });
  for (const pieces of responses) {
    const reader = decoder.read(sampleHead({ provider: "gemini", requestId: null }));
    const failure = readResponse(reader, pieces);
    if (failure !== null) return { parts, failure, tokens };
    const token = decoder.continuationToken();
    if (token === null) break;
    tokens.push(token);
  }
  return { parts, failure: null, tokens };
}
