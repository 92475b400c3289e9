// Writes a stream of events to a client's connection. @spec events
//
//   watching ──terminal event──▶ ended
//      │
//      └──client disconnected, reader too slow, internal error──▶ dropped
//
// The last events of a long output each repeat all of it. They are queued as events, which costs nothing, and encoded
// one per turn of the event loop, once the reader has read the frames before.
//
// Nothing that happens here affects the run (docs/architecture.md, Runs know no sockets). A stream cannot be resumed:
// frames have no id, and `Last-Event-ID` is not read.
import type { ServerResponse } from "node:http";
import type { ResponseEvent } from "../../contract/events.ts";
import { SLOW_READER_BYTES_MAX } from "../../contract/limits.ts";
import type { StreamReader, StreamReply } from "../../flows/request-context.ts";
import type { Clock, StopTimer } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { NO_STORE, commonHeaders } from "../shared/send.ts";
import { createFramer, type FrameEvent, KEEP_ALIVE_FRAME } from "./frames.ts";

/** What sending one stream needs besides its events. */
export interface StreamOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The stream sends a comment after this many milliseconds without a frame. */
  readonly keepAliveMs: number;
  readonly requestId: string;
  /** Called once, when the stream has ended or was dropped. */
  readonly onOver: () => void;
}

/** An event above this many characters takes noticeable time to encode. */
const LONG_CHARACTERS = 64 * 1024;
/** Queued short events written per turn of the event loop. */
const EVENTS_A_TURN = 256;
/** Interval of the check whether a slow reader has read on, milliseconds. */
const UNREAD_CHECK_MS = 50;
/** A reader that reads nothing for this long is dropped, milliseconds. */
const UNREAD_PATIENCE_MS = 30_000;

/** Headers of every stream. `x-accel-buffering` stops proxies from buffering frames. */
const STREAM_HEADERS = ["content-type", "text/event-stream; charset=utf-8", "x-accel-buffering", "no"];

/**
 * Sends status 200 at once and each event as it happens, until the terminal one. Frames of one tick share a write. A
 * reader that leaves more than 1 MiB unread is dropped. Nothing is written after the client has disconnected.
 *
 * @param headers further headers, names and values in turn.
 */
export function sendStream(
  response: ServerResponse,
  reply: StreamReply,
  headers: readonly string[],
  options: StreamOptions,
): void {
  response.writeHead(200, [...STREAM_HEADERS, ...NO_STORE, ...commonHeaders(options.requestId), ...headers]);
  const writer = new StreamWriter(response, createFramer(reply), options);
  writer.follow(reply);
}

class StreamWriter implements StreamReader {
  readonly #response: ServerResponse;
  readonly #frameEvent: FrameEvent;
  readonly #options: StreamOptions;
  /** Complete frames, written at the end of this tick. */
  #pending = "";
  #isFlushScheduled = false;
  /** Queued events: long ones and those behind them. */
  readonly #queue: ResponseEvent[] = [];
  #isInBurst = false;
  #hasEnded = false;
  /** Characters of all frames so far. */
  #written = 0;
  #areHeadersOut = false;
  #isOver = false;
  #lastFrameMs: number;
  #stopKeepAlive: StopTimer = () => {};
  #stopWatching: () => void = () => {};

  constructor(response: ServerResponse, frameEvent: FrameEvent, options: StreamOptions) {
    this.#response = response;
    this.#frameEvent = frameEvent;
    this.#options = options;
    this.#lastFrameMs = options.clock.monotonicMs();
  }

  follow(reply: StreamReply): void {
    if (this.#response.destroyed) this.#finish();
    this.#response.once("close", () => this.#finish());
    if (!this.#isOver) {
      this.#scheduleFlush();
      this.#armKeepAlive(this.#options.keepAliveMs);
    }
    const stopWatching = reply.watch(this);
    if (this.#isOver) stopWatching();
    else this.#stopWatching = stopWatching;
  }

  event(event: ResponseEvent): void {
    if (this.#isOver) return;
    if (this.#queue.length === 0 && !this.#isLong(event)) this.#write(event);
    else this.#enqueue(event);
  }

  #enqueue(event: ResponseEvent): void {
    if (!this.#isInBurst) {
      // Measured before the burst, which is not the reader's fault.
      if ("delta" in event && this.#response.writableLength > SLOW_READER_BYTES_MAX) return this.#dropSlowReader();
      this.#isInBurst = true;
      process.nextTick(() => (this.#isInBurst = false));
    }
    if (this.#queue.push(event) === 1) this.#writeQueueLater();
  }

  end(): void {
    if (this.#isOver) return;
    this.#hasEnded = true;
    if (this.#queue.length > 0) return;
    this.#finish();
    this.#response.end(this.#pending);
  }

  /** Whether the frame may be long. The events at the end of an item or response repeat everything before them. */
  #isLong(event: ResponseEvent): boolean {
    if ("delta" in event) return event.delta.length > LONG_CHARACTERS;
    return this.#written > LONG_CHARACTERS;
  }

  #write(event: ResponseEvent): void {
    try {
      const frame = this.#frameEvent(event);
      this.#written += frame.length;
      this.#pending += frame;
    } catch (error) {
      // The status is already sent: only closing the connection is left.
      this.#options.log.error("stream.event_unwritable", this.#logFields(), error);
      this.#drop();
      return;
    }
    if (!this.#isFlushScheduled) this.#scheduleFlush();
  }

  #writeQueueLater(): void {
    setImmediate(() => this.#writeQueue());
  }

  /** Writes queued events: one long event per turn of the event loop, or several short ones behind it. */
  #writeQueue(unreadSinceMs: number | null = null, unread = 0): void {
    if (this.#isOver) return;
    const { clock } = this.#options;
    const { writableLength } = this.#response;
    if (writableLength > SLOW_READER_BYTES_MAX) {
      const nowMs = clock.monotonicMs();
      const sinceMs = unreadSinceMs === null || writableLength < unread ? nowMs : unreadSinceMs;
      if (nowMs - sinceMs > UNREAD_PATIENCE_MS) this.#dropSlowReader();
      else clock.after(UNREAD_CHECK_MS, () => this.#writeQueue(sinceMs, writableLength));
      return;
    }
    let written = 0;
    for (const event of this.#queue) {
      const before = this.#written;
      this.#write(event);
      if (this.#isOver) return;
      written++;
      if (this.#written - before > LONG_CHARACTERS || written === EVENTS_A_TURN) break;
    }
    this.#queue.splice(0, written);
    if (this.#queue.length > 0) this.#writeQueueLater();
    else if (this.#hasEnded) this.end();
  }

  #scheduleFlush(): void {
    this.#isFlushScheduled = true;
    // Runs after the current callback and the promises it resolved: all events of one provider chunk become one write.
    process.nextTick(flushWriter, this);
  }

  /** Writes the pending frames; before the first frame only the headers. Called by {@link flushWriter}. */
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
    // Measured before the write, so that a burst alone drops no reader.
    if (this.#response.writableLength > SLOW_READER_BYTES_MAX) {
      this.#dropSlowReader();
      return;
    }
    this.#lastFrameMs = this.#options.clock.monotonicMs();
    writeChunk(this.#response, frames, !this.#areHeadersOut);
    this.#areHeadersOut = true;
  }

  /** One timer that checks the time when it fires, instead of a timer that every frame would have to reset. */
  #armKeepAlive(milliseconds: number): void {
    const { clock, keepAliveMs } = this.#options;
    this.#stopKeepAlive = clock.after(milliseconds, () => {
      const quietMs = clock.monotonicMs() - this.#lastFrameMs;
      // A stream with queued events is not quiet.
      if (quietMs < keepAliveMs || this.#queue.length > 0) {
        this.#armKeepAlive(quietMs < keepAliveMs ? keepAliveMs - quietMs : keepAliveMs);
        return;
      }
      this.#pending += KEEP_ALIVE_FRAME;
      this.#armKeepAlive(keepAliveMs);
      this.flush();
    });
  }

  #dropSlowReader(): void {
    this.#options.log.warn("stream.reader_too_slow", this.#logFields());
    this.#drop();
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
    this.#options.onOver();
  }

  #logFields(): { request_id: string } {
    return { request_id: this.#options.requestId };
  }
}

/** A module function, so that a flush allocates no closure. */
function flushWriter(writer: StreamWriter): void {
  writer.flush();
}

/**
 * Writes text as one HTTP chunk, directly to the socket once the headers are sent. Node's own `write` makes four socket
 * writes per chunk: 5.2 µs instead of 3.4 µs for a frame of 230 bytes, and a stream is mostly such writes.
 *
 * Node's `write` is used for the first piece, which carries the headers, while a pipelined response waits for its turn
 * on the socket, and for HTTP/1.0 clients. Both ways write to the same socket, so the order is kept.
 */
function writeChunk(response: ServerResponse, text: string, isFirst: boolean): void {
  const { socket } = response;
  if (isFirst || socket === null || !response.chunkedEncoding) {
    response.write(text);
    return;
  }
  const bytes = Buffer.byteLength(text);
  // ASCII is the same in both encodings, and Latin-1 needs no conversion.
  socket.write(`${bytes.toString(16)}\r\n${text}\r\n`, bytes === text.length ? "latin1" : "utf8");
}
