// Streaming replies: the events of a live run, or of a response that began earlier. @spec events
import { type ResponseEvent, RESPONSE_UNRESOLVED } from "../../contract/events.ts";
import { errorType } from "../../contract/errors.ts";
import type { ResponseObject } from "../../contract/resources.ts";
import { isTerminal } from "../../contract/statuses.ts";
import { presentResponse } from "../../core/response/present.ts";
import { asRunning, replayBeginning, replayRest } from "../../core/response/replay.ts";
import type { StoredResponse } from "../../core/response/response.ts";
import type { StreamReader, StreamReply } from "../request-context.ts";
import type { Services } from "../../ports/services.ts";
import type { Capacity } from "../gateway.ts";
import type { Run, RunEnd } from "../run/run.ts";

/** What a stream needs besides its events. */
export interface StreamOptions {
  readonly includeObfuscation: boolean;
  /** Closes the organization's open stream. */
  closeStream(): void;
}

type StreamNeeds = Pick<Services, "clock" | "limits"> & Pick<Capacity, "openStreams">;

/** Streams a run from its first event on; must be called before the run publishes anything. */
export function streamRun(services: StreamNeeds, run: Run, options: StreamOptions): StreamReply {
  const current = () => presentResponse(run.response);
  return openStream(services, options, current, (emit, finish, giveUp) => {
    run.ended.then(finish, giveUp);
    run.whenLate(giveUp);
    return run.watch(emit);
  });
}

/**
 * Resolves with the end of a response that runs; rejects when it cannot be known in time. Stops once `signal` is
 * aborted.
 */
export type Follow = (signal: AbortSignal) => Promise<RunEnd>;

/**
 * Streams the events of a response that began earlier, for a retry with its Idempotency-Key. While it runs, only the
 * first events are sent, with its id; the rest follows when it has settled. `follow` is null when nothing runs the
 * response.
 */
export function streamReplay(
  services: StreamNeeds,
  response: StoredResponse,
  follow: Follow | null,
  options: StreamOptions,
): StreamReply {
  const running = presentResponse(asRunning(response));
  return openStream(
    services,
    options,
    () => running,
    (emit, finish, giveUp) => {
      const replay = (settled: StoredResponse) => {
        for (const event of replayRest(running, presentResponse(settled))) emit(event);
        finish();
      };
      const following = new AbortController();
      for (const event of replayBeginning(running)) emit(event);
      if (isTerminal(response.status)) replay(response);
      else if (follow === null) giveUp();
      else follow(following.signal).then((end) => (end.kind === "settled" ? replay(end.response) : giveUp()), giveUp);
      return () => following.abort();
    },
  );
}

type Source = (emit: (event: ResponseEvent) => void, finish: () => void, giveUp: () => void) => () => void;

/**
 * A stream with exactly one end: the source's terminal event, or `error` with `response_unresolved` at the stream's
 * time limit, when the service stops, or when the outcome cannot be stored in time. Events that precede the reader are
 * kept for it.
 */
function openStream(
  services: StreamNeeds,
  options: StreamOptions,
  current: () => ResponseObject,
  source: Source,
): StreamReply {
  const { clock, limits, openStreams } = services;
  const early: ResponseEvent[] = [];
  let reader: StreamReader | null = null;
  let isOver = false;
  let stopSource = () => {};

  const emit = (event: ResponseEvent) => {
    if (isOver) return;
    if (reader === null) early.push(event);
    else reader.event(event);
  };
  const release = () => {
    stopTimer();
    stopInterrupt();
    stopSource();
    options.closeStream();
  };
  const finish = () => {
    if (isOver) return;
    isOver = true;
    release();
    reader?.end();
  };
  const giveUp = () => {
    emit(unresolved(current()));
    finish();
  };
  const stopTimer = clock.after(limits.stream_ceiling_seconds * 1000, giveUp);
  const stopInterrupt = openStreams.onInterrupt(giveUp);
  stopSource = source(emit, finish, giveUp);
  // The source may have ended while it was being opened.
  if (isOver) stopSource();

  return {
    kind: "stream",
    includeObfuscation: options.includeObfuscation,
    watch(watcher) {
      for (const event of early.splice(0)) watcher.event(event);
      if (isOver) watcher.end();
      else reader = watcher;
      return () => {
        if (isOver) return;
        isOver = true;
        release();
      };
    },
  };
}

function unresolved(response: ResponseObject): ResponseEvent {
  const code = RESPONSE_UNRESOLVED;
  const message =
    `The stream ended before a result was ready; the response may still finish: retrieve it by its id ${response.id}. ` +
    "Retrying without the same Idempotency-Key starts a second response.";
  const type = errorType(500, "internal_server_error");
  return { type: "error", code, message, param: null, error: { type, code, message, param: null }, response };
}
