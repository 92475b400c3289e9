import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { StreamReader } from "../../flows/request-context.ts";
import { sendStream } from "./sse.ts";

/** A response with an exact number of unread bytes, which a real connection cannot have. */
class HeldResponse extends EventEmitter {
  readonly socket = null;
  readonly written: string[] = [];
  readonly writableLength: number;
  destroyed = false;

  constructor(unread: number) {
    super();
    this.writableLength = unread;
  }

  writeHead(): void {}

  flushHeaders(): void {}

  write(text: string): void {
    this.written.push(text);
  }

  destroy(): void {
    this.destroyed = true;
  }
}

for (const [unread, isDropped] of [
  [1024 * 1024, false],
  [1024 * 1024 + 1, true],
] as const) {
  test(`a reader with ${unread} bytes unread is ${isDropped ? "dropped" : "written to"}`, async () => {
    const reader = Promise.withResolvers<StreamReader>();
    const response = new HeldResponse(unread);
    const logged: string[] = [];
    const log = { debug() {}, info() {}, warn: (event: string) => logged.push(event), error() {} };
    sendStream(
      response as unknown as ServerResponse,
      {
        kind: "stream",
        includeObfuscation: false,
        watch(given) {
          reader.resolve(given);
          return () => {};
        },
      },
      [],
      { clock: new FakeClock(), log, keepAliveMs: 15_000, requestId: "req_1", onOver() {} },
    );
    const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
    (await reader.promise).event({ type: "response.refusal.delta", ...place, delta: "no" });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([response.destroyed, response.written.length], [isDropped, isDropped ? 0 : 1]);
    assert.deepEqual(logged, isDropped ? ["stream.reader_too_slow"] : []);
  });
}
