// A stream of events to one client's connection. @spec events
//
//   watching ──terminal event──▶ ended
//      │
//      └──client gone, reader too slow, own error──▶ dropped
//
// Whatever happens here stays here: the run that is watched never hears of it (docs/architecture.md, rule 5).
import type { ServerResponse } from "node:http";
import type { LadderEvent } from "../contract/events.ts";
import { SLOW_READER_BYTES_MAX } from "../contract/limits.ts";
import type { StreamReader, StreamReply } from "../flows/exchange.ts";
import type { Clock, StopTimer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { writeChunk } from "./chunks.ts";
import { createFramer, type FrameEvent, KEEP_ALIVE_FRAME } from "./frames.ts";

/** What a stream needs besides its events. */
export interface StreamSurroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** A comment is sent after this many milliseconds without a frame. */
  readonly keepAliveMs: number;
}

/** What belongs to one stream. */
interface OneStream {
  readonly requestId: string;
  /** Called once, when the stream has ended or was dropped. */
  readonly onOver: () => void;
}

/** Headers of every stream, names and values in turn. `x-accel-buffering` keeps proxies from holding frames back. */
const STREAM_HEADERS = [
  "content-type",
  "text/event-stream; charset=utf-8",
  "cache-control",
  "no-cache",
  "x-accel-buffering",
  "no",
];

/**
 * Answers 200 at once and writes the events as they come, until the terminal one. Frames of one tick share a write. A reader that
 * leaves more than 1 MiB unread is dropped; a client that has gone is no longer written to.
 *
 * @param headers further headers, names and values in turn.
 */
export function sendStream(
  response: ServerResponse,
  reply: StreamReply,
  headers: readonly string[],
  surroundings: StreamSurroundings & OneStream,
): void {
  response.writeHead(200, [...STREAM_HEADERS, ...headers]);
  const writer = new StreamWriter(response, createFramer(reply), surroundings);
  writer.follow(reply);
}

/** One stream's connection, from its headers to its end. */
class StreamWriter implements StreamReader {
  readonly #response: ServerResponse;
  readonly #frameEvent: FrameEvent;
  readonly #surroundings: StreamSurroundings & OneStream;
  /** Whole frames that wait for the end of this tick. */
  #pending = "";
  #isFlushScheduled = false;
  #areHeadersOut = false;
  #isOver = false;
  #lastFrameMs: number;
  #stopKeepAlive: StopTimer = () => {};
  #stopWatching: () => void = () => {};

  constructor(response: ServerResponse, frameEvent: FrameEvent, surroundings: StreamSurroundings & OneStream) {
    this.#response = response;
    this.#frameEvent = frameEvent;
    this.#surroundings = surroundings;
    this.#lastFrameMs = surroundings.clock.monotonicMs();
  }

  follow(reply: StreamReply): void {
    if (this.#response.destroyed) this.#finish();
    this.#response.once("close", () => this.#finish());
    if (!this.#isOver) {
      this.#scheduleFlush();
      this.#armKeepAlive(this.#surroundings.keepAliveMs);
    }
    const stopWatching = reply.watch(this);
    if (this.#isOver) stopWatching();
    else this.#stopWatching = stopWatching;
  }

  event(event: LadderEvent): void {
    if (this.#isOver) return;
    try {
      this.#pending += this.#frameEvent(event);
    } catch (error) {
      // The status is long sent: all that is left to say is that the stream broke off.
      this.#surroundings.log.error("stream.event_unwritable", this.#logFields(), error);
      this.#drop();
      return;
    }
    if (!this.#isFlushScheduled) this.#scheduleFlush();
  }

  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#response.end(this.#pending);
  }

  #scheduleFlush(): void {
    this.#isFlushScheduled = true;
    // Runs once the running callback and the promises it resolved are through: a burst of a provider's chunk is one write.
    process.nextTick(flushWriter, this);
  }

  /** Writes what has gathered; before the first frame the headers alone. Called through {@link flushWriter}. */
  flush(): void {
    this.#isFlushScheduled = false;
    if (this.#isOver) return;
    const frames = this.#pending;
    this.#pending = "";
    if (frames === "") {
      this.#response.flushHeaders();
      this.#areHeadersOut = true;
      return;
    }
    // Measured before the write: what one burst adds is no fault of the reader's.
    if (this.#response.writableLength > SLOW_READER_BYTES_MAX) {
      this.#surroundings.log.warn("stream.reader_too_slow", this.#logFields());
      this.#drop();
      return;
    }
    this.#lastFrameMs = this.#surroundings.clock.monotonicMs();
    writeChunk(this.#response, frames, !this.#areHeadersOut);
    this.#areHeadersOut = true;
  }

  /** One timer that looks at the time when it fires, instead of one that every frame would have to set anew. */
  #armKeepAlive(milliseconds: number): void {
    const { clock, keepAliveMs } = this.#surroundings;
    this.#stopKeepAlive = clock.after(milliseconds, () => {
      const quietMs = clock.monotonicMs() - this.#lastFrameMs;
      if (quietMs < keepAliveMs) {
        this.#armKeepAlive(keepAliveMs - quietMs);
        return;
      }
      this.#pending += KEEP_ALIVE_FRAME;
      this.#armKeepAlive(keepAliveMs);
      this.flush();
    });
  }

  #drop(): void {
    this.#finish();
    this.#response.destroy();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopKeepAlive();
    this.#stopWatching();
    this.#surroundings.onOver();
  }

  #logFields(): { request_id: string } {
    return { request_id: this.#surroundings.requestId };
  }
}

/** A function of its own, so that a stream needs no closure for every flush. */
function flushWriter(writer: StreamWriter): void {
  writer.flush();
}
