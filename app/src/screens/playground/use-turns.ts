// Runs turns and keeps them, in memory only.
import { useRef, useState } from "react";
import { take } from "../../api/client.ts";
import { newTurn, type Turn, withEvent } from "./turns.ts";
import { type CreateBody, streamResponse, v1 } from "./v1.ts";

export interface Turns {
  readonly all: ReadonlyMap<number, Turn>;
  /** The turn that the next one continues; null: none. */
  readonly head: number | null;
  /** The next turn continues that one; it starts a branch if another turn continues it already. */
  choose(head: number | null): void;
  /** Runs a turn that continues the head. */
  run(request: CreateBody): Promise<void>;
  /** Takes turns that were read back; the last one is the head. */
  restore(turns: readonly Turn[]): void;
  /** Cancels a running turn; the stream then ends with its last event. */
  stop(turn: Turn): Promise<void>;
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

  const run = async (request: CreateBody) => {
    let turn = newTurn(++count.current, head, request);
    const startedMs = performance.now();
    put(turn);
    setHead(turn.id);
    try {
      const requestId = await streamResponse(request, (event) => {
        turn = withEvent(turn, performance.now() - startedMs, event);
        put(turn);
      });
      turn = { ...turn, requestId, isRunning: false };
    } catch (failure) {
      turn = { ...turn, failure, isRunning: false };
    }
    put(turn);
  };

  const restore = (read: readonly Turn[]) => {
    turns.current = new Map(read.map((turn) => [turn.id, turn]));
    count.current = read.length;
    setAll(turns.current);
    setHead(read.at(-1)?.id ?? null);
  };

  const stop = async ({ response }: Turn) => {
    if (response === null) return;
    await take(v1.POST("/responses/{response_id}/cancel", { params: { path: { response_id: response.id } } }));
  };

  return { all, head, choose: setHead, run, restore, stop };
}
