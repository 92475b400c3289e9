// Decodes the bytes of a round's responses without a network: UTF-8 reader, body and decoder, joined as in the
// transport.
import { createResponseBody } from "../../../src/providers/wire/response-body.ts";
import { createDecoder } from "../../../src/providers/gemini/decode.ts";
import { samplePrompt } from "../../support/provider-samples.ts";
import { createUtf8Reader } from "../../../src/providers/wire/utf8.ts";
import { UpstreamError, type ProviderPart } from "../../../src/ports/provider.ts";
import type { Prompt } from "../../../src/core/turn/prompt.ts";

export interface Decoded {
  readonly parts: readonly ProviderPart[];
  readonly failure: UpstreamError | null;
  /** The tokens with which further responses were requested. */
  readonly tokens: readonly string[];
}

/** One character of text, and a call whose id is taken. */
const PROMPT: Prompt = samplePrompt([
  { type: "message", role: "user", text: "?" },
  { type: "call", callId: "call_0", name: null, arguments: "{}" },
]);

/** Decodes the responses of one round, each in its pieces; a failure ends it. */
export function decodeBytes(responses: readonly Iterable<Uint8Array>[]): Decoded {
  const parts: ProviderPart[] = [];
  const tokens: string[] = [];
  let minted = 0;
  const decoder = createDecoder({
    apiKey: "AIza-canary",
    prompt: PROMPT,
    receive: (ready) => void parts.push(...ready),
    ids: { mintCallId: () => `minted_${++minted}` },
    toolNames: { fromWire: (name) => name },
  });
  for (const pieces of responses) {
    const reader = decoder.read({ provider: "gemini", status: 200, headers: {}, requestId: null });
    const utf8 = createUtf8Reader();
    const body = createResponseBody(reader);
    try {
      for (const piece of pieces) {
        body.feed(utf8.read(piece));
        reader.flush();
      }
      utf8.end();
      body.end();
      reader.end();
      reader.flush();
    } catch (error) {
      reader.flush();
      if (error instanceof UpstreamError) return { parts, failure: error, tokens };
      throw error;
    }
    const token = decoder.continuationToken();
    if (token === null) break;
    tokens.push(token);
  }
  return { parts, failure: null, tokens };
}
