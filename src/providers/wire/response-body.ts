// Splits the text of a response into server-sent events, or takes it as one JSON document from servers that do not stream.
import { createParser } from "eventsource-parser";
import { DOCUMENT_CHARACTERS_MAX, LINE_CHARACTERS_MAX } from "./bounds.ts";
import { createStrayErrors } from "./stray-errors.ts";

/** Thrown for a line, event or document above its limit. */
export class TooLongError extends Error {
  override readonly name = "TooLongError";
}

export interface ResponseBody {
  /** Reads the next text. Throws TooLongError, and any error of its reader. */
  feed(text: string): void;
  /** Ends the body: an event or document still open is delivered. */
  end(): void;
}

/** Receives the content of a body. */
export interface BodyReader {
  /** The data of one event, and its `event` name if it has one; also an error outside of events, as `{"error": …}`. */
  event(data: string, name: string | undefined): void;
  /** The whole body, if it is not an event stream. */
  document(text: string): void;
}

// The beginning of a JSON document or an HTML page, which no line of an event stream has. The body decides, not the content
// type: several servers send one with the type of the other.
const DOCUMENT_START = /^[\uFEFF\s]*([{["<])/u;
/** `\s` includes the byte order mark. */
const BLANK = /^\s*$/u;

/** Reads one body. A line or event above `lineCharactersMax` throws. */
export function createResponseBody(reader: BodyReader, lineCharactersMax = LINE_CHARACTERS_MAX): ResponseBody {
  let form: "unknown" | "events" | "document" = "unknown";
  let document = "";

  const parser = createParser({
    maxBufferSize: lineCharactersMax,
    onEvent(message) {
      // The parser limits its buffer only; a line that arrives whole in one read is never buffered.
      if (message.data.length > lineCharactersMax) throw new TooLongError("an event longer than its limit");
      // An empty event is a keep-alive.
      if (BLANK.test(message.data)) return;
      reader.event(message.data, message.event);
    },
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") throw new TooLongError("a line longer than its limit");
    },
  });

  const events = createStrayErrors({
    text: (text) => parser.feed(text),
    error(json) {
      // The event before it may lack its blank line.
      parser.feed("\n");
      reader.event(json, undefined);
    },
  });

  function feedDocument(text: string): void {
    document += text;
    if (document.length > DOCUMENT_CHARACTERS_MAX) throw new TooLongError("a document longer than its limit");
  }

  function feedUnknown(text: string): void {
    feedDocument(text);
    // Only white space so far.
    if (BLANK.test(text)) return;
    form = DOCUMENT_START.test(document) ? "document" : "events";
    if (form === "document") return;
    events.feed(document);
    document = "";
  }

  return {
    feed(text) {
      if (form === "events") events.feed(text);
      else if (form === "document") feedDocument(text);
      else feedUnknown(text);
    },
    end() {
      // The standard drops a last event without its blank line, but it may carry the end or the usage.
      if (form === "events") {
        events.end();
        parser.feed("\n\n");
      } else if (form === "document") reader.document(document);
    },
  };
}
