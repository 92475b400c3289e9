// Structured logging: one line of JSON per event on stdout. Never content: no prompt, output, metadata or secret.
import type { Log, LogFields } from "../ports/log.ts";
import { UpstreamError } from "../ports/provider.ts";
import { type LineWriter, createLineWriter } from "./line-writer.ts";
import { LOG_LEVELS, type LogLevel } from "./log-levels.ts";

/** Fields whose values are never written. */
const SECRET_FIELDS = new Set([
  "authorization",
  "api_key",
  "apiKey",
  "secret",
  "password",
  "cookie",
  "token",
  "set-cookie",
]);

/** Patterns of keys: ours, management tokens, and the providers'. */
const KEY_SHAPES = /\b(?:sk[_-]|adm_|AIza)[0-9A-Za-z_-]{8,}|\bBearer\s+\S+/gi;
/** Longest value, characters. */
const CHARACTERS_MAX = 1000;

export interface OpenLog {
  readonly log: Log;
  /** Lines are held until this call, so that the start-up messages for people come first. */
  release(): void;
  /** Writes the buffered lines; resolves when the operating system has them, or when they cannot be written. */
  flush(): Promise<void>;
  /** Synchronous flush for a process about to exit. A write already in progress may land after it. */
  flushSync(): void;
}

/** Opens a log that writes lines of at least `level`, each with these fields first. */
export function openLog(
  level: LogLevel,
  destination: Pick<LineWriter, "write"> & Partial<LineWriter>,
  always: LogFields | null = null,
): OpenLog {
  let held: string[] | null = [];
  const release = () => {
    for (const line of held ?? []) destination.write(line);
    held = null;
  };
  const least = LOG_LEVELS.indexOf(level);
  const writeAt =
    (name: Exclude<LogLevel, "silent">) =>
    (event: string, fields: LogFields = {}, error?: unknown): void => {
      if (LOG_LEVELS.indexOf(name) < least) return;
      const time = new Date().toISOString();
      const record = { level: name, time, ...always, ...scrubFields(fields), ...errorFields(error), event };
      const line = `${JSON.stringify(record)}\n`;
      if (held === null) destination.write(line);
      else held.push(line);
    };
  return {
    log: { debug: writeAt("debug"), info: writeAt("info"), warn: writeAt("warn"), error: writeAt("error") },
    release,
    async flush() {
      release();
      await destination.flush?.();
    },
    flushSync() {
      release();
      destination.flushSync?.();
    },
  };
}

/** Opens stdout for lines. */
export function openStdout(): LineWriter {
  // Start-up messages are written to stdout too. If its reader is gone or the disk is full, the service keeps running.
  process.stdout.on("error", () => {});
  return createLineWriter(process.stdout.fd, lostLine);
}

/** The line that replaces dropped ones. */
function lostLine(lines: number): string {
  return `${JSON.stringify({ level: "warn", time: new Date().toISOString(), event: "log.lines_lost", lines })}\n`;
}

function scrubFields(fields: LogFields): LogFields {
  const scrubbed: Record<string, LogFields[string]> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (SECRET_FIELDS.has(name)) scrubbed[name] = "[redacted]";
    else scrubbed[name] = typeof value === "string" ? scrub(value) : value;
  }
  return scrubbed;
}

/** The parts of an error that may be logged: type and stack, and the message unless it may contain content. */
function errorFields(error: unknown): Record<string, unknown> {
  return error === undefined ? {} : { error: describeError(error, 0) };
}

const CAUSES_MAX = 3;

function describeError(error: unknown, depth: number, isOfProvider = false): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const isFailure = error instanceof UpstreamError;
  // A stack of ours says nothing about a provider's error; errors in our own code that reads a response keep theirs.
  const isTraced = !isFailure && !(isOfProvider && (error.constructor === Error || "code" in error));
  return {
    type: error.name,
    ...("code" in error && typeof error.code === "string" ? { code: error.code } : {}),
    ...(mayQuoteContent(error) ? {} : { message: scrub(error.message) }),
    ...(isTraced ? { stack: framesOf(error) } : {}),
    ...(error.cause !== undefined && depth < CAUSES_MAX
      ? { cause: describeError(error.cause, depth + 1, isFailure || isOfProvider) }
      : {}),
  };
}

/** JSON.parse quotes its input, and a provider may quote the prompt that it rejects. */
function mayQuoteContent(error: Error): boolean {
  return error instanceof SyntaxError || error instanceof UpstreamError;
}

/**
 * Only the frames of a stack. Its first lines repeat the message, which may quote lines that look like frames. Empty if
 * the stack does not contain the message unchanged, since frames cannot be distinguished from quotes then.
 */
function framesOf(error: Error): string {
  const stack = error.stack ?? "";
  const start = stack.indexOf(error.message);
  if (start < 0) return "";
  const lines = stack.slice(start + error.message.length).split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => line.startsWith("at "))
    .join(" | ");
}

/** The text with keys replaced by `[redacted]`, cut to its first 1,000 characters. */
function scrub(text: string): string {
  // Cut before replacing, with some margin, so that megabytes of text cost no time.
  const bounded = text.length > 2 * CHARACTERS_MAX ? text.slice(0, 2 * CHARACTERS_MAX) : text;
  const scrubbed = bounded.replace(KEY_SHAPES, "[redacted]");
  return scrubbed.length > CHARACTERS_MAX ? `${scrubbed.slice(0, CHARACTERS_MAX)}…` : scrubbed;
}
