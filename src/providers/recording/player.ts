// Plays recorded responses in place of connections: nothing is sent.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Dispatcher } from "undici";
import type { OpenConnector } from "../wire/connector.ts";
import type { RecordedResponse } from "./fixture.ts";

/** How the body of a response is cut: in one piece, as it was recorded, or byte by byte. */
export type Cut = "whole" | "recorded" | "bytes";

/** Creates connections that answer the requests of one turn with its recorded responses, in order. */
export function createPlayer(responses: readonly RecordedResponse[], cut: Cut): OpenConnector {
  let next = 0;
  return ({ origin }) => ({
    origin,
    pathPrefix: "",
    headers: [],
    proxy: null,
    dispatcher: {
      dispatch(_options, handler) {
        void play(responses[next++], cut, handler);
        return true;
      },
      destroy: async () => {},
    },
  });
}

/** Never rejects: what the handler throws ends the response, as on a connection. */
async function play(
  response: RecordedResponse | undefined,
  cut: Cut,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  const controller = new PlayedConnection();
  const failed = (error: Error) => handler.onResponseError?.(controller, error);
  try {
    handler.onRequestStart?.(controller, {});
    if (response === undefined) return failed(new Error("the fixture has no further exchange"));
    handler.onResponseStart?.(controller, response.status, { ...response.headers }, "");
    for (const bytes of cutBody(response, cut)) {
      // What comes in one turn of the event loop is decoded as one.
      // oxlint-disable-next-line no-await-in-loop -- chunks come one after the other
      await nextTurn();
      // oxlint-disable-next-line no-await-in-loop -- as a connection that is not read
      while (controller.paused && controller.reason === null) await nextTurn();
      if (controller.reason !== null) return failed(controller.reason);
      handler.onResponseData?.(controller, bytes);
    }
    await nextTurn();
    if (controller.reason !== null) failed(controller.reason);
    else if (response.isWhole) handler.onResponseEnd?.(controller, {});
    else failed(new Error("the connection was lost"));
  } catch (error) {
    failed(error instanceof Error ? error : new Error(String(error)));
  }
}

function cutBody({ chunks }: RecordedResponse, cut: Cut): readonly Buffer[] {
  const pieces = chunks.map(({ bytes }) => bytes);
  if (cut === "recorded") return pieces;
  const whole = Buffer.concat(pieces);
  if (cut === "whole") return whole.length === 0 ? [] : [whole];
  return Array.from({ length: whole.length }, (_, at) => whole.subarray(at, at + 1));
}

class PlayedConnection implements Dispatcher.DispatchController {
  reason: Error | null = null;
  paused = false;
  readonly rawHeaders = [];
  readonly rawTrailers = [];

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    this.reason ??= reason;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}
