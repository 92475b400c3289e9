// Errors that servers write into an event stream outside of its events, where the standard has a reader pass them over: JSON without
// `data:` before it (Google, in one line or printed over several), and a field of the name `error` (llama.cpp).
//
//   events ──a line that begins with `{` or `er`──▶ astray: gathered ──a blank line, a field, a comment, the end──▶ events
import { ERROR_BODY_BYTES_MAX } from "./bounds.ts";
import { isRecord, parseJson } from "./json-shape.ts";

/** Who reads a stream, in the order in which it came. */
export interface StrayErrorsReader {
  /** The text of the stream, without such errors. */
  text(text: string): void;
  /** The JSON of an object with `error`. */
  error(json: string): void;
}

export interface StrayErrors {
  /** Takes the next text. */
  feed(text: string): void;
  /** Says that nothing follows: hands over what was still held. */
  end(): void;
}

/** The line break before a line astray. */
const STRAY_LINE = /\n(?:\{|er)/;
/** The line break before a line that is none of an error's. */
const LAST_BREAK = /\n(?=\r?\n|(?:data|event|id|retry)?:)/;
const ERROR_FIELD = "error:";

/** Takes such errors out of one stream; what only looks like one is its text. */
export function createStrayErrors(reader: StrayErrorsReader): StrayErrors {
  let isAtLineStart = true;
  /** The `e` with which a line begins that may be `event` or `error`. */
  let held = "";
  /** What has been gathered of lines astray; null among events. */
  let astray: string | null = null;

  function feed(text: string): void {
    let rest = text;
    while (rest !== "") rest = astray === null ? follow(held + rest) : gather(astray, rest);
  }

  /** Follows the stream up to a line astray; answers what is to be gathered. */
  function follow(text: string): string {
    held = "";
    const start = findStray(text);
    if (start !== -1) {
      tell(text.slice(0, start));
      astray = "";
      return text.slice(start);
    }
    const startsWithE = text === "e" ? isAtLineStart : text.endsWith("\ne");
    if (startsWithE) held = "e";
    tell(startsWithE ? text.slice(0, -1) : text);
    return "";
  }

  function findStray(text: string): number {
    if (isAtLineStart && (text.startsWith("{") || text.startsWith("er"))) return 0;
    const lineBreak = text.search(STRAY_LINE);
    return lineBreak === -1 ? -1 : lineBreak + 1;
  }

  /** Gathers lines astray up to their end; answers what is to be followed. */
  function gather(before: string, added: string): string {
    const all = before + added;
    astray = all;
    // A text without these two characters can't end what came before it.
    const lastBreak = /[\n:]/.test(added) ? all.search(LAST_BREAK) : -1;
    if (lastBreak === -1) {
      if (all.length > ERROR_BODY_BYTES_MAX) close(all);
      return "";
    }
    close(all.slice(0, lastBreak + 1));
    return all.slice(lastBreak + 1);
  }

  function close(lines: string): void {
    astray = null;
    const error = readError(lines);
    if (error === null) return tell(lines);
    isAtLineStart = true;
    reader.error(error);
  }

  function tell(text: string): void {
    if (text === "") return;
    isAtLineStart = text.endsWith("\n");
    reader.text(text);
  }

  return {
    feed,
    end() {
      if (astray !== null) close(astray);
      tell(held);
      held = "";
    },
  };
}

/** The error that lines are; null when they are none. */
function readError(lines: string): string | null {
  if (lines.startsWith(ERROR_FIELD)) {
    const said = lines.slice(ERROR_FIELD.length).trim();
    return parseJson(said) === undefined ? null : `{"error":${said}}`;
  }
  const value = parseJson(lines);
  return isRecord(value) && value.error !== undefined ? lines : null;
}
