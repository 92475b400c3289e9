// The bytes of a round's answers through the adapter without a network: utf8, body, decoder, as the transport joins them.
import { createAnswerBody } from "../../../src/providers/answer-body.ts";
import { createDecoder } from "../../../src/providers/gemini/decode.ts";
import { samplePrompt } from "../../support/provider-samples.ts";
import { createUtf8Reader } from "../../../src/providers/utf8.ts";
import { ProviderFailure, type ProviderPart } from "../../../src/ports/provider.ts";
import type { Prompt } from "../../../src/core/turn/prompt.ts";

export interface Decoded {
  readonly parts: readonly ProviderPart[];
  readonly failure: ProviderFailure | null;
  /** The tokens by which further answers were asked for. */
  readonly tokens: readonly string[];
}

/** One character of text, and a call whose id is taken. */
const PROMPT: Prompt = samplePrompt([
  { type: "message", role: "user", text: "?" },
  { type: "call", callId: "call_0", name: null, arguments: "{}" },
]);

/** Decodes the answers of one round, each in the pieces it comes in; a failure ends it. */
export function decodeBytes(answers: readonly Iterable<Uint8Array>[]): Decoded {
  const parts: ProviderPart[] = [];
  const tokens: string[] = [];
  let minted = 0;
  const decoder = createDecoder({
    apiKey: "AIza-canary",
    prompt: PROMPT,
    receive: (ready) => parts.push(...ready),
    mintCallId: () => `minted_${++minted}`,
    originalToolName: (name) => name,
  });
  for (const pieces of answers) {
    const reader = decoder.read({ provider: "gemini", status: 200, headers: {}, requestId: null });
    const utf8 = createUtf8Reader();
    const body = createAnswerBody(reader);
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
      if (error instanceof ProviderFailure) return { parts, failure: error, tokens };
      throw error;
    }
    const token = decoder.continuationToken();
    if (token === null) break;
    tokens.push(token);
  }
  return { parts, failure: null, tokens };
}
