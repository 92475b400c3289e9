// Runs turns and keeps them, in memory only.
import { useRef, useState } from "react";
import { take } from "../../api/client.ts";
import { isUnanswered, newTurn, type Turn, withEvent } from "./turns.ts";
import { type CreateBody, mintKey, streamResponse, v1 } from "./v1.ts";

export interface Turns {
  readonly all: ReadonlyMap<number, Turn>;
  /** The turn that is shown last; null: none. */
  readonly head: number | null;
  choose(head: number | null): void;
  /** Runs a turn. It takes the place of one that continues the same and got no response. */
  run(run: RunOf): Promise<void>;
  /** Takes turns that were made elsewhere, one continuing the other; the last one is the head. */
  restore(turns: readonly Turn[]): void;
  /** Cancels a running turn; the stream then ends with its last event. */
  stop(turn: Turn): Promise<void>;
}

export interface RunOf {
  readonly request: CreateBody;
  /** The turn that it continues. */
  readonly parent: number | null;
  /** The idempotency key of a request that is sent again: a turn that ran is not run twice. */
  readonly idempotencyKey?: string;
  /** Called with the first event: the service has the request. */
  readonly onBegun: () => void;
}

export function useTurns(): Turns {
  const turns = useRef<ReadonlyMap<number, Turn>>(new Map());
  const count = useRef(0);
  const [all, setAll] = useState<ReadonlyMap<number, Turn>>(turns.current);
  const [head, setHead] = useState<number | null>(null);
  const frame = useRef<number | null>(null);

  /** Updates the screen once per frame: events arrive faster than a screen can show them. */
  const put = (turn: Turn) => {
    turns.current = new Map(turns.current).set(turn.id, turn);
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null;
      setAll(turns.current);
    });
  };

  const run = async ({ request, parent, idempotencyKey = mintKey(), onBegun }: RunOf) => {
    turns.current = new Map([...turns.current].filter(([, each]) => each.parent !== parent || !isUnanswered(each)));
    let turn = newTurn(++count.current, parent, request, idempotencyKey);
    const startedMs = performance.now();
    put(turn);
    // Set together with the head: otherwise the path is empty for one frame, and typed text is lost.
    setAll(turns.current);
    setHead(turn.id);
    try {
      const requestId = await streamResponse(request, idempotencyKey, (event) => {
        if (turn.events.length === 0) onBegun();
        turn = withEvent(turn, performance.now() - startedMs, event);
        put(turn);
      });
      turn = { ...turn, requestId, isRunning: false };
    } catch (failure) {
      turn = { ...turn, failure, isRunning: false };
    }
    put(turn);
  };

  const restore = (given: readonly Turn[]) => {
    const numbered = given.map((turn, at) => ({ ...turn, id: at + 1, parent: at === 0 ? null : at }));
    turns.current = new Map(numbered.map((turn) => [turn.id, turn]));
    count.current = numbered.length;
    setAll(turns.current);
    setHead(numbered.at(-1)?.id ?? null);
  };

  const stop = async ({ response }: Turn) => {
    if (response === null) return;
    await take(v1.POST("/responses/{response_id}/cancel", { params: { path: { response_id: response.id } } }));
  };

  return { all, head, choose: setHead, run, restore, stop };
}
