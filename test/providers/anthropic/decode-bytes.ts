// Decodes the bytes of a response without a network.
import { createDecoder } from "../../../src/providers/anthropic/decode.ts";
import { sampleHead, samplePrompt } from "../../support/provider-samples.ts";
import { type Decoded, readResponse } from "../../support/read-response.ts";
import type { TextReader } from "../../../src/providers/wire/utf8.ts";
import { CORPUS_ITEMS } from "./corpus.ts";
import type { ProviderPart } from "../../../src/ports/provider.ts";

/** Decodes a response that arrives in these pieces; a failure ends it. */
export function decodeBytes(pieces: Iterable<Uint8Array>, text?: TextReader): Decoded {
  const parts: ProviderPart[] = [];
  let minted = 0;
  const reader = createDecoder({
    head: sampleHead({ provider: "anthropic" }),
    preface: [],
    prompt: samplePrompt(CORPUS_ITEMS),
    ids: { mintCallId: () => `minted_${++minted}` },
    toolNames: { fromWire: (name) => (name === "my_tool" ? "my.tool" : name) },
    receive: (ready) => void parts.push(...ready),
  });
  const failure = readResponse(reader, pieces, text);
  return { parts, failure };
}
