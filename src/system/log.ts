// Structured log lines: JSON on stdout, a line an event. Never content: no prompt, output, metadata or secret.
import pino from "pino";
import type { Log, LogFields } from "../ports/log.ts";
import { ProviderFailure } from "../ports/provider.ts";
import { type LineWriter, openLineWriter } from "./line-writer.ts";
import type { LogLevel } from "./log-levels.ts";
import { scrub } from "./scrub.ts";

/** Fields whose value is never written, should anybody hand one over. */
const SECRET_FIELDS = ["authorization", "api_key", "apiKey", "secret", "password", "cookie", "token", "set-cookie"];

/** A log, and when it is written. */
export interface OpenLog {
  readonly log: Log;
  /** Lines are held until this is called: what a start says to people stands before them. */
  release(): void;
  /** Writes what is still buffered; resolves when it has been handed to the operating system, or nobody takes it. */
  flush(): Promise<void>;
  /** The same before it returns, for a process that must not go on; lines that are being written at this moment may come later. */
  flushSync(): void;
}

/** A log that writes lines of at least that level to stdout, or to `destination` in tests. */
export function openLog(
  level: LogLevel,
  destination: Pick<LineWriter, "write"> & Partial<LineWriter> = openStdout(),
): OpenLog {
  let held: string[] | null = [];
  const release = () => {
    for (const line of held ?? []) destination.write(line);
    held = null;
  };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "event",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.map((field) => `["${field}"]`), censor: "[redacted]" },
    },
    { write: (line: string) => void (held === null ? destination.write(line) : held.push(line)) },
  );
  return {
    log: {
      debug: (event, fields) => {
        if (logger.isLevelEnabled("debug")) logger.debug(scrubFields(fields), event);
      },
      info: (event, fields) => logger.info(scrubFields(fields), event),
      warn: (event, fields, error) => logger.warn({ ...scrubFields(fields), ...errorFields(error) }, event),
      error: (event, fields, error) => logger.error({ ...scrubFields(fields), ...errorFields(error) }, event),
    },
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

function openStdout(): LineWriter {
  // What a start says to people goes there too. Whoever read it went away, or the disk is full: the service stays.
  process.stdout.on("error", () => {});
  return openLineWriter(process.stdout.fd, lostLine);
}

/** What a log says where lines were lost because nobody took them. */
function lostLine(lines: number): string {
  return `${JSON.stringify({ level: "warn", time: new Date().toISOString(), event: "log.lines_lost", lines })}\n`;
}

function scrubFields(fields: LogFields | undefined): LogFields {
  if (fields === undefined) return {};
  const scrubbed: Record<string, LogFields[string]> = {};
  for (const [name, value] of Object.entries(fields)) {
    scrubbed[name] = typeof value === "string" ? scrub(value) : value;
  }
  return scrubbed;
}

/** What may be told of an error: what it is and where it was thrown, and its words where they can't be a client's. */
function errorFields(error: unknown): Record<string, unknown> {
  return error === undefined ? {} : { error: describeError(error, 0) };
}

const CAUSES_MAX = 3;

function describeError(error: unknown, depth: number, isOfProvider = false): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const isFailure = error instanceof ProviderFailure;
  // Where we heard of what went wrong on the other side says nothing; a fault of our own in reading it is still placed.
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

/** JSON.parse quotes what it could not read, and a provider may quote the prompt that it turned down. */
function mayQuoteContent(error: Error): boolean {
  return error instanceof SyntaxError || error instanceof ProviderFailure;
}

/**
 * The frames alone: the first lines of a stack repeat the message, in which a quoted text may bring lines that look like frames. Of a
 * stack that does not hold the message as it is, nothing can be told apart.
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
