// A reader that is slow with the long frames at the end of an answer. docs/decisions/outputs.md
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { ResponseEvent } from "../../contract/events.ts";
import type { StreamReader } from "../../flows/request-context.ts";
import { sendStream } from "./sse.ts";

const MIB = 1024 * 1024;

/** A response whose unread bytes the test sets. */
class HeldResponse extends EventEmitter {
  readonly socket = null;
  readonly written: string[] = [];
  writableLength = 0;
  destroyed = false;
  hasEnded = false;

  writeHead(): void {}

  flushHeaders(): void {}

  write(text: string): void {
    this.written.push(text);
  }

  end(text = ""): void {
    this.written.push(text);
    this.hasEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  /** The types of the events written so far. */
  get types(): readonly string[] {
    return typesIn(this.written.join(""));
  }
}

function typesIn(frames: string): readonly string[] {
  return [...frames.matchAll(/^event: (.*)$/gm)].map(([, type]) => type ?? "");
}

const TURN = () => new Promise((resolve) => setImmediate(resolve));
const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
const LONG = { type: "response.refusal.delta", ...place, delta: "x".repeat(100_000) } as const;
const DONE = { type: "response.refusal.done", ...place, refusal: "x" } as const;

/** A stream with events, the first of them long, to a reader that has so much unread. */
async function streaming(unread: number, ...events: readonly ResponseEvent[]) {
  const clock = new FakeClock();
  const response = new HeldResponse();
  const logged: string[] = [];
  const log = { debug() {}, info() {}, warn: (event: string) => logged.push(event), error() {} };
  const watched = Promise.withResolvers<StreamReader>();
  let isOver = false;
  sendStream(
    response as unknown as ServerResponse,
    {
      kind: "stream",
      includeObfuscation: false,
      watch(reader) {
        watched.resolve(reader);
        return () => {};
      },
    },
    [],
    {
      clock,
      log,
      keepAliveMs: 15_000,
      requestId: "req_1",
      onOver() {
        isOver = true;
      },
    },
  );
  const reader = await watched.promise;
  await TURN();
  for (const event of events) reader.event(event);
  response.writableLength = unread;
  await TURN();
  await TURN();
  return { clock, response, logged, reader, isOver: () => isOver };
}

test("a reader that reads nothing for 30 seconds is dropped, and not before", async () => {
  const { clock, response, logged, isOver } = await streaming(MIB + 1, LONG);
  await clock.advance(30_000);
  assert.deepEqual([response.destroyed, response.written.join("")], [false, ""]);
  await clock.advance(50);
  assert.deepEqual([response.destroyed, isOver(), logged], [true, true, ["stream.reader_too_slow"]]);
  assert.deepEqual(response.types, []);
});

test("a reader that goes on reading, however slowly, gets the rest", async () => {
  const { clock, response, logged, reader } = await streaming(3 * MIB, LONG, DONE);
  reader.end();
  while (response.writableLength > MIB + 1) {
    await clock.advance(29_000);
    response.writableLength = Math.max(MIB + 1, response.writableLength - 200_000);
  }
  assert.deepEqual(response.types, [], "it still has more than 1 MiB unread");
  response.writableLength = MIB;
  await clock.advance(50);
  await TURN();
  await TURN();
  assert.deepEqual(response.types, ["response.refusal.delta", "response.refusal.done"]);
  assert.deepEqual([response.hasEnded, response.destroyed, logged], [true, false, []]);
});

test("events after a long one wait for it; no write has two long ones", async () => {
  const { clock, response, reader } = await streaming(MIB + 1, LONG, DONE, LONG, DONE);
  reader.end();
  response.writableLength = 0;
  await clock.advance(50);
  for (let turn = 0; turn < 10; turn++) await TURN();
  assert.deepEqual(response.written.map(typesIn), [[LONG.type], [DONE.type, LONG.type], [DONE.type]]);
});

test("no queued event is written to a client that disconnected", async () => {
  const { clock, response, isOver } = await streaming(MIB + 1, LONG, DONE);
  response.emit("close");
  assert.equal(isOver(), true);
  response.writableLength = 0;
  await clock.advance(50);
  await TURN();
  assert.deepEqual([response.types, response.hasEnded, clock.pending], [[], false, 0]);
});
