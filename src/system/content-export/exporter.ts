// Sends the spans of responses to a collector by OTLP over HTTP, in batches, one request at a time:
//
//   responseEnded ─▶ waiting (at most so many bytes, else dropped) ─▶ request ─▶ taken or rejected: removed
//                                                                          └▶ unavailable: again after a pause
//
// A response never waits for it.
import { randomBytes } from "node:crypto";
import type { Clock, StopTimer } from "../../ports/clock.ts";
import type { ContentExport, SpokenResponse } from "../../ports/content-export.ts";
import type { Log } from "../../ports/log.ts";
import type { OutgoingFetch } from "../../ports/outgoing-fetch.ts";
import { bytesOf } from "../bounded-body.ts";
import type { ContentExportTelemetry } from "../metrics/content-export.ts";
import { encodeExport, encodeSpan } from "./span.ts";

export interface ContentExportSettings {
  /** Where spans are posted to. */
  readonly url: string;
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** The organizations whose responses are exported. */
  readonly organizations: "all" | readonly string[];
  /** The most content of a response. */
  readonly turnBytes: number;
  /** The most that waits to be sent, requests under way included. */
  readonly waitingBytes: number;
  readonly version: string;
}

export interface ContentExportPorts {
  readonly clock: Clock;
  readonly fetch: OutgoingFetch;
  readonly log: Log;
  readonly telemetry: ContentExportTelemetry;
  /** The name of a configured provider in the GenAI conventions. */
  readonly genAiNameOf: (provider: string) => string;
}

export interface ContentExporter extends ContentExport {
  /** Sends what waits, for at most 3 seconds, and drops the rest. */
  close(): Promise<void>;
}

/** Responses that end within this time are sent together. */
const GATHER_MS = 1000;
/** The most that one request sends, unless a single response is larger. */
const BATCH_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
const PAUSE_MS_MAX = 30_000;
const CLOSE_MS = 3000;
/** The largest answer that is read: a message and a number. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** Answers after which the same request may succeed. opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** How a request ended: `rejected` counts responses that the collector did not take. */
type Outcome =
  | { readonly kind: "answered"; readonly rejected: number; readonly reason: string | null }
  | { readonly kind: "unavailable"; readonly reason: string };

export function createContentExporter(settings: ContentExportSettings, ports: ContentExportPorts): ContentExporter {
  const { clock, log, telemetry } = ports;
  const resource = { "service.name": "turngate", "service.version": settings.version };
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  // A response did not fit. No further one is encoded until a batch has left: that would cost CPU for a response that
  // is dropped.
  let isFull = false;
  let failures = 0;
  let isClosing = false;
  let stopTimer: StopTimer | null = null;
  let request: Promise<void> | null = null;
  const over = new AbortController();

  const isReachable = (): boolean => failures === 0 && !over.signal.aborted;

  const schedule = (milliseconds: number): void => {
    if (isClosing || request !== null || stopTimer !== null || waiting.length === 0) return;
    stopTimer = clock.after(milliseconds, () => {
      stopTimer = null;
      void send();
    });
  };

  const sendBatch = async (): Promise<void> => {
    const batch = takeBatch(waiting);
    settle(batch, await post(settings, ports, encodeExport(resource, batch), over.signal));
  };

  const send = async (): Promise<void> => {
    request = sendBatch();
    await request;
    request = null;
    schedule(failures > 0 ? pauseAfter(failures) : waitingBytes < BATCH_BYTES ? GATHER_MS : 0);
  };

  const settle = (batch: readonly Buffer[], outcome: Outcome): void => {
    const { reason } = outcome;
    if (reason !== null && failures === 0) log.warn("content_export.failed", { reason, turns: batch.length });
    if (reason === null && failures > 0) log.info("content_export.recovered");
    failures = reason === null ? 0 : failures + 1;
    if (outcome.kind === "unavailable") return;
    waiting.splice(0, batch.length);
    waitingBytes -= sizeOf(batch);
    isFull = false;
    telemetry.sent(Math.max(0, batch.length - outcome.rejected));
    telemetry.lost(Math.min(batch.length, outcome.rejected));
  };

  return {
    responseEnded(response) {
      if (isClosing || !isExported(settings, response)) return;
      if (isFull) {
        telemetry.lost(1);
        return;
      }
      const ids = { traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex") };
      const span = Buffer.from(
        encodeSpan(response, ports.genAiNameOf(response.start.provider), ids, settings.turnBytes),
      );
      if (waitingBytes + span.length > settings.waitingBytes) {
        isFull = true;
        telemetry.lost(1);
        return;
      }
      waiting.push(span);
      waitingBytes += span.length;
      schedule(GATHER_MS);
    },
    async close() {
      isClosing = true;
      stopTimer?.();
      const stopLimit = clock.after(CLOSE_MS, () => over.abort());
      await request;
      // One request at a time, until one fails.
      do {
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (waiting.length > 0 && !over.signal.aborted) await sendBatch();
      } while (waiting.length > 0 && isReachable());
      stopLimit();
      if (waiting.length === 0) return;
      telemetry.lost(waiting.length);
      log.warn("content_export.lost", { turns: waiting.length });
      waiting.length = 0;
    },
  };
}

/** Whether the collector takes a request without spans. Throws an error in words if not. */
export async function reachCollector(
  settings: Pick<ContentExportSettings, "url" | "headers">,
  ports: Pick<ContentExportPorts, "clock" | "fetch">,
) {
  const { reason } = await post(settings, ports, encodeExport({}, []), new AbortController().signal);
  if (reason !== null) throw new Error(reason);
}

function isExported({ organizations }: ContentExportSettings, { start }: SpokenResponse): boolean {
  return organizations === "all" || organizations.includes(start.organizationId);
}

/** The oldest spans that fit one request, at least one. */
function takeBatch(waiting: readonly Buffer[]): readonly Buffer[] {
  let bytes = 0;
  const end = waiting.findIndex((span, at) => (bytes += span.length) > BATCH_BYTES && at > 0);
  return waiting.slice(0, end === -1 ? waiting.length : end);
}

function sizeOf(spans: readonly Buffer[]): number {
  return spans.reduce((sum, span) => sum + span.length, 0);
}

/** Twice as long after each failure. */
function pauseAfter(failures: number): number {
  return Math.min(PAUSE_MS_MAX, GATHER_MS * 2 ** Math.min(failures, 10));
}

/** Posts a body. Never rejects. Redirects are not followed: content goes to the configured address only. */
async function post(
  { url, headers }: Pick<ContentExportSettings, "url" | "headers">,
  { clock, fetch }: Pick<ContentExportPorts, "clock" | "fetch">,
  body: Buffer<ArrayBuffer>,
  over: AbortSignal,
): Promise<Outcome> {
  const late = new AbortController();
  const stopTimer = clock.after(TIMEOUT_MS, () => late.abort());
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      redirect: "manual",
      signal: AbortSignal.any([late.signal, over]),
    });
    const answer = await bytesOf(response.body, ANSWER_BYTES_MAX).catch(() => new Uint8Array());
    if (RETRYABLE.has(response.status)) return { kind: "unavailable", reason: `status ${response.status}` };
    if (!response.ok) return { kind: "answered", rejected: Infinity, reason: `status ${response.status}` };
    const rejected = rejectedOf(answer);
    return { kind: "answered", rejected, reason: rejected === 0 ? null : `${rejected} spans rejected` };
  } catch (error) {
    return { kind: "unavailable", reason: late.signal.aborted ? "timeout" : codeOf(error) };
  } finally {
    stopTimer();
  }
}

/** The spans of a request that the collector did not take, by its answer. */
function rejectedOf(answer: Uint8Array): number {
  try {
    const read = JSON.parse(Buffer.from(answer).toString()) as { partialSuccess?: { rejectedSpans?: unknown } } | null;
    const rejected = Number(read?.partialSuccess?.rejectedSpans ?? 0);
    return Number.isInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}

/** The code of the first cause, such as ECONNREFUSED: the message of the error around it says nothing. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.cause instanceof Error) return codeOf(error.cause);
  return "code" in error ? String(error.code) : error.name;
}
