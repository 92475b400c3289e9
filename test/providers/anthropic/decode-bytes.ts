// Decodes the bytes of a response without a network: UTF-8 reader, body and decoder, joined as in the transport.
import { createResponseBody } from "../../../src/providers/wire/response-body.ts";
import { createDecoder } from "../../../src/providers/anthropic/decode.ts";
import { createUtf8Reader } from "../../../src/providers/wire/utf8.ts";
import { samplePrompt } from "../../support/provider-samples.ts";
import { CORPUS_ITEMS } from "./corpus.ts";
import { UpstreamError, type ProviderPart } from "../../../src/ports/provider.ts";

export interface Decoded {
  readonly parts: readonly ProviderPart[];
  readonly failure: UpstreamError | null;
}

/** Decodes a response that arrives in these pieces; a failure ends it. */
export function decodeBytes(pieces: Iterable<Uint8Array>): Decoded {
  const parts: ProviderPart[] = [];
  let minted = 0;
  const reader = createDecoder({
    head: { provider: "anthropic", status: 200, headers: {}, requestId: "req_1" },
    apiKey: "sk-ant-canary",
    preface: [],
    prompt: samplePrompt(CORPUS_ITEMS),
    ids: { mintCallId: () => `minted_${++minted}` },
    toolNames: { fromWire: (name) => (name === "my_tool" ? "my.tool" : name) },
    receive: (ready) => void parts.push(...ready),
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
