// Reads the bytes of a response without a network: UTF-8 reader, body and decoder, joined as in the transport.
import { type ProviderPart, UpstreamError } from "../../src/ports/provider.ts";
import type { ResponseReader } from "../../src/providers/wire/exchange.ts";
import { createResponseBody } from "../../src/providers/wire/response-body.ts";
import { createUtf8Reader, type TextReader } from "../../src/providers/wire/utf8.ts";

/** The parts of a response, and the error that ended it. */
export interface Decoded {
  readonly parts: readonly ProviderPart[];
  readonly failure: UpstreamError | null;
}

/** Reads a response that arrives in these pieces. Returns the error that ends it; null: it ended as it should. */
export function readResponse(
  reader: ResponseReader,
  pieces: Iterable<Uint8Array>,
  utf8: TextReader = createUtf8Reader(),
): UpstreamError | null {
  const body = createResponseBody(reader);
  try {
    for (const piece of pieces) {
      body.feed(utf8.read(piece));
      void reader.flush(body.bufferedBytes());
      if (reader.progress() === "over") break;
    }
    if (reader.progress() !== "over") {
      utf8.end();
      body.end();
    }
    reader.end();
    void reader.flush(0);
    return null;
  } catch (error) {
    void reader.flush(0);
    if (error instanceof UpstreamError) return error;
    throw error;
  }
}
