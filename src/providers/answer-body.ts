// The text of an answer becomes server-sent events, or one JSON document from servers that do not stream.
import { createParser } from "eventsource-parser";
import { DOCUMENT_CHARACTERS_MAX, LINE_CHARACTERS_MAX } from "./bounds.ts";
import { createStrayErrors } from "./stray-errors.ts";

/** Thrown when one line, event or document is longer than its bound. */
export class TooLong extends Error {
  override readonly name = "TooLong";
}

export interface AnswerBody {
  /** Takes the next text. Throws TooLong, and whatever its reader throws. */
  feed(text: string): void;
  /** Says that nothing follows: hands over what was still open. */
  end(): void;
}

/** Who reads a body. */
export interface BodyReader {
  /** The data of one event, and its `event` name when it has one; and an error that stands outside of events, as `{"error": …}`. */
  event(data: string, name: string | undefined): void;
  /** The whole body, when it was no event stream. */
  document(text: string): void;
}

// What a JSON document or an HTML page begins with, and no line of an event stream does. The body is judged and not its
// content type: several servers send one with the type of the other.
const DOCUMENT_START = /^[\uFEFF\s]*([{["<])/u;
/** A byte order mark is white space here. */
const BLANK = /^\s*$/u;

/** Reads one body; a line or an event longer than `lineCharactersMax` ends it. */
export function createAnswerBody(reader: BodyReader, lineCharactersMax = LINE_CHARACTERS_MAX): AnswerBody {
  let form: "unknown" | "events" | "document" = "unknown";
  let document = "";

  const parser = createParser({
    maxBufferSize: lineCharactersMax,
    onEvent(message) {
      // The parser bounds what it buffers; a line that came whole in one read never is buffered.
      if (message.data.length > lineCharactersMax) throw new TooLong("an event longer than its bound");
      // A server that says by an event of nothing that it is still there.
      if (BLANK.test(message.data)) return;
      reader.event(message.data, message.event);
    },
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") throw new TooLong("a line longer than its bound");
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
    if (document.length > DOCUMENT_CHARACTERS_MAX) throw new TooLong("a document longer than its bound");
  }

  function feedUnknown(text: string): void {
    feedDocument(text);
    if (BLANK.test(document)) return;
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
      // A last event without its blank line: the standard drops it, but it may be the one with the end or the usage.
      if (form === "events") {
        events.end();
        parser.feed("\n\n");
      } else if (form === "document") reader.document(document);
    },
  };
}
