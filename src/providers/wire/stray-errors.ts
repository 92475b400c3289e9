// Errors outside of the events of a stream, which a standard parser ignores: JSON without `data:` (Google, on one line or several),
// and a field named `error` (llama.cpp).
//
//   events ──a line that begins with `{` or `er`──▶ stray: collected ──a blank line, a field, a comment, the end──▶ events
import { ERROR_BODY_BYTES_MAX } from "./bounds.ts";
import { isJsonObject, parseJson } from "../../base/json.ts";

/** Receives the content of a stream, in order. */
export interface StrayErrorsReader {
  /** The text of the stream without stray errors. */
  text(text: string): void;
  /** The JSON of an object with the key `error`. */
  error(json: string): void;
}

/** The line break before a stray line. */
const STRAY_LINE = /\n(?:\{|er)/;
/** The line break before a line that cannot belong to an error. */
const LAST_BREAK = /\n(?=\r?\n|(?:data|event|id|retry)?:)/;
const ERROR_FIELD = "error:";

/** Separates stray errors from one stream. Lines that only look like an error remain text. */
export function createStrayErrors(reader: StrayErrorsReader) {
  let isAtLineStart = true;
  /** An `e` at the start of a line, which may become `event` or `error`. */
  let held = "";
  /** Stray lines collected so far; null between them. */
  let stray: string | null = null;

  /** Takes the next text. */
  function feed(text: string): void {
    let rest = text;
    while (rest !== "") rest = stray === null ? read(held + rest) : collect(stray, rest);
  }

  /** Reads up to a stray line; returns the text from there. */
  function read(text: string): string {
    held = "";
    const start = findStray(text);
    if (start !== -1) {
      emit(text.slice(0, start));
      stray = "";
      return text.slice(start);
    }
    const startsWithE = text === "e" ? isAtLineStart : text.endsWith("\ne");
    if (startsWithE) held = "e";
    emit(startsWithE ? text.slice(0, -1) : text);
    return "";
  }

  function findStray(text: string): number {
    if (isAtLineStart && (text.startsWith("{") || text.startsWith("er"))) return 0;
    const lineBreak = text.search(STRAY_LINE);
    return lineBreak === -1 ? -1 : lineBreak + 1;
  }

  /** Collects stray lines up to their end; returns the text after them. */
  function collect(before: string, added: string): string {
    const all = before + added;
    stray = all;
    // Only a line break or a colon can end the stray lines.
    const lastBreak = /[\n:]/.test(added) ? all.search(LAST_BREAK) : -1;
    if (lastBreak === -1) {
      if (all.length > ERROR_BODY_BYTES_MAX) close(all);
      return "";
    }
    close(all.slice(0, lastBreak + 1));
    return all.slice(lastBreak + 1);
  }

  function close(lines: string): void {
    stray = null;
    const error = readError(lines);
    if (error === null) return emit(lines);
    isAtLineStart = true;
    reader.error(error);
  }

  function emit(text: string): void {
    if (text === "") return;
    isAtLineStart = text.endsWith("\n");
    reader.text(text);
  }

  return {
    feed,
    /** Ends the stream: text still held is delivered. */
    end(): void {
      if (stray !== null) close(stray);
      emit(held);
      held = "";
    },
  };
}

/** The error in these lines, as JSON; null if there is none. */
function readError(lines: string): string | null {
  if (lines.startsWith(ERROR_FIELD)) {
    const said = lines.slice(ERROR_FIELD.length).trim();
    return parseJson(said) === undefined ? null : `{"error":${said}}`;
  }
  const value = parseJson(lines);
  return isJsonObject(value) && value.error !== undefined ? lines : null;
}
