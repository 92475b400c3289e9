// Splits the text of a response into server-sent events, or takes it as one JSON document from servers that do not stream.
import { createParser } from "eventsource-parser";
import { GrowingText } from "../../base/growing-text.ts";
import { EVENT_CHARACTERS_MAX, EVENT_LINES_MAX } from "./bounds.ts";
import { createStrayErrors } from "./stray-errors.ts";

/** Thrown for a line, event or document above its limit. */
export class TooLongError extends Error {
  override readonly name = "TooLongError";
}

export interface ResponseBody {
  /** Reads the next text; returns whether an event was delivered. Throws TooLongError, and any error of its reader. */
  feed(text: string): boolean;
  /** Ends the body: an event or document still open is delivered. */
  end(): void;
  /** Bytes fed that wait for the rest of their line, event or document, roughly. */
  bufferedBytes(): number;
}

/** Receives the content of a body. */
export interface BodyReader {
  /**
   * The data of one event, and its `event` name if it has one; also an error outside of events, as `{"error": …}`. The end mark of chat
   * completions, however it is written, is END_MARK. Keep-alives are left out.
   */
  event(data: string, name: string | undefined): void;
  /** The whole body, if it is not an event stream. */
  document(text: string): void;
}

// The beginning of a JSON document or an HTML page, which no line of an event stream has. The body decides, not the content
// type: several servers send one with the type of the other.
const DOCUMENT_START = /^[\uFEFF\s]*([{["<])/u;
/** `\s` includes the byte order mark. */
const BLANK = /^\s*$/u;
/** The end mark of chat completions, as servers write it. */
export const END_MARK = "[DONE]";
const END_MARKS = /^\s*(?:\[DONE\]|DONE)\s*$/i;
/** Data without content: an empty event is a keep-alive. */
const NO_CONTENT = /^\s*(?:null\s*)?$/u;
const KEEP_ALIVES: ReadonlySet<string | undefined> = new Set(["ping", "keepalive"]);
const SHORT_CHARACTERS = 40;

const DATA_FIELD = "data:";
const DATA_LINE = /(?:^|[\r\n])data:/;
const LINE_BREAK = /\r\n?|\n/g;

/** Reads one body. A line, event or document above `charactersMax` throws. */
export function createResponseBody(reader: BodyReader, charactersMax = EVENT_CHARACTERS_MAX): ResponseBody {
  let form: "unknown" | "events" | "document" = "unknown";
  /** A document, or the beginning of a line that has not ended: it may come byte by byte. */
  let open = new GrowingText();
  let openLength = 0;
  /** Whether the parser has the beginning of a line of another kind. */
  let isInOther = false;
  /** Lines of an event that has not ended, which the parser keeps, and their characters. */
  let eventLines = 0;
  let eventLength = 0;
  let delivered = 0;

  const parser = createParser({
    maxBufferSize: charactersMax,
    onEvent(message) {
      // The parser limits its buffer only; a line that arrives whole in one read is never buffered.
      if (message.data.length > charactersMax) throw new TooLongError("an event longer than its limit");
      const isShort = message.data.length <= SHORT_CHARACTERS;
      if (KEEP_ALIVES.has(message.event) || (isShort ? NO_CONTENT : BLANK).test(message.data)) return;
      delivered++;
      reader.event(isShort && END_MARKS.test(message.data) ? END_MARK : message.data, message.event);
    },
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") throw new TooLongError("a line longer than its limit");
    },
  });

  const events = createStrayErrors({
    text: feedLines,
    error(json) {
      // The event before it may lack its blank line.
      parser.feed("\n");
      delivered++;
      reader.event(json, undefined);
    },
  });

  function keepOpen(text: string, what: string): void {
    open.add(text);
    openLength += text.length;
    if (openLength > charactersMax + (form === "events" ? DATA_FIELD.length + 1 : 0))
      throw new TooLongError(`a ${what} longer than its limit`);
  }

  function takeOpen(): string {
    const text = open.whole();
    open = new GrowingText();
    openLength = 0;
    return text;
  }

  /** Feeds whole lines of data to the parser, which would keep each piece of one. It skips most other lines as they come. */
  function feedLines(text: string): void {
    const end = text.endsWith("\n") ? text.length : Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
    if (end > 0) {
      feedParser(takeOpen() + text.slice(0, end));
      isInOther = false;
    }
    const rest = text.slice(end);
    if (rest === "") return;
    if (isInOther) parser.feed(rest);
    else if (openLength >= DATA_FIELD.length) keepOpen(rest, "line");
    else {
      const line = takeOpen() + rest;
      if (line.startsWith(DATA_FIELD) || DATA_FIELD.startsWith(line)) keepOpen(line, "line");
      else {
        isInOther = true;
        parser.feed(line);
      }
    }
  }

  function feedParser(lines: string): void {
    const before = delivered;
    parser.feed(lines);
    if (delivered > before) {
      eventLines = 0;
      eventLength = 0;
    } else if (DATA_LINE.test(lines)) {
      // Each line of an event takes far more memory than its characters.
      eventLines += lines.match(LINE_BREAK)?.length ?? 0;
      eventLength += lines.length;
      if (eventLines > EVENT_LINES_MAX) throw new TooLongError("an event of too many lines");
    }
  }

  function feedUnknown(text: string): void {
    // Only white space so far.
    if (BLANK.test(text)) return keepOpen(text, "document");
    const all = takeOpen() + text;
    form = DOCUMENT_START.test(all) ? "document" : "events";
    if (form === "events") events.feed(all);
    else keepOpen(all, "document");
  }

  return {
    feed(text) {
      const before = delivered;
      if (form === "events") events.feed(text);
      else if (form === "document") keepOpen(text, "document");
      else feedUnknown(text);
      return delivered > before;
    },
    end() {
      // The standard drops a last event without its blank line, but it may carry the end or the usage.
      if (form === "events") {
        events.end();
        parser.feed(`${takeOpen()}\n\n`);
      } else if (form === "document") reader.document(takeOpen());
    },
    bufferedBytes: () => openLength + eventLength,
  };
}
