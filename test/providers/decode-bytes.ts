// Decodes the bytes of a response without a network: UTF-8 reader, body and decoder, joined as in the transport.
import { createResponseBody } from "../../src/providers/wire/response-body.ts";
import { createDecoder } from "../../src/providers/openai-compatible/decode.ts";
import { samplePrompt } from "../support/provider-samples.ts";
import { createUtf8Reader } from "../../src/providers/wire/utf8.ts";
import type { Prompt } from "../../src/core/turn/prompt.ts";
import { UpstreamError, type ProviderPart } from "../../src/ports/provider.ts";

export interface Decoded {
  readonly parts: readonly ProviderPart[];
  readonly failure: UpstreamError | null;
}

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
    head: { provider: "local", status: 200, headers: {}, requestId: "req_1" },
    apiKey: "sk-secret",
    prompt: CORPUS_PROMPT,
    keepsReasoning,
    receive: (ready) => void parts.push(...ready),
    ids: { mintCallId: () => `minted_${++minted}` },
    toolNames: { fromWire: (name) => name },
  });
  const utf8 = createUtf8Reader();
  const body = createResponseBody(reader);
  try {
    for (const piece of pieces) {
      body.feed(utf8.read(piece));
      reader.flush();
      if (reader.progress() === "over") break;
    }
    if (reader.progress() !== "over") {
      utf8.end();
      body.end();
    }
    reader.end();
    reader.flush();
    return { parts, failure: null };
  } catch (error) {
    reader.flush();
    if (error instanceof UpstreamError) return { parts, failure: error };
    throw error;
  }
}
