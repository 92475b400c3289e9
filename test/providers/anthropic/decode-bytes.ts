// The bytes of an answer through the adapter without a network: utf8, body, decoder, as the transport joins them.
import { createAnswerBody } from "../../../src/providers/answer-body.ts";
import { createDecoder } from "../../../src/providers/anthropic/decode.ts";
import { createUtf8Reader } from "../../../src/providers/utf8.ts";
import { samplePrompt } from "../../support/provider-samples.ts";
import { CORPUS_ITEMS } from "./corpus.ts";
import { ProviderFailure, type ProviderPart } from "../../../src/ports/provider.ts";

export interface Decoded {
  readonly parts: readonly ProviderPart[];
  readonly failure: ProviderFailure | null;
}

/** Decodes an answer that comes in these pieces; a failure ends it. */
export function decodeBytes(pieces: Iterable<Uint8Array>): Decoded {
  const parts: ProviderPart[] = [];
  let minted = 0;
  const reader = createDecoder({
    head: { provider: "anthropic", status: 200, headers: {}, requestId: "req_1" },
    apiKey: "sk-ant-canary",
    preface: [],
    prompt: samplePrompt(CORPUS_ITEMS),
    mintCallId: () => `minted_${++minted}`,
    originalToolName: (name) => (name === "my_tool" ? "my.tool" : name),
    receive: (ready) => parts.push(...ready),
  });
  const utf8 = createUtf8Reader();
  const body = createAnswerBody(reader);
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
    if (error instanceof ProviderFailure) return { parts, failure: error };
    throw error;
  }
}
