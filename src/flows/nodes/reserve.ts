// A node's reserve of something that all nodes share, such as an allowance. While plenty is left the node draws more
// than it needs now, so that most requests need no transaction of their own; when little is left it draws one by one.
import type { Clock } from "../../ports/clock.ts";

/** What a draw brought, and what is left for all nodes. */
export interface Drawn {
  readonly granted: number;
  readonly left: number;
}

/** A node draws ahead at most this part of what is left. */
const SHARE = 1 / 16;
/** What was drawn and not used goes back after this time. */
const KEPT_MS = 1000;

/** What this node has drawn and not used yet. */
export interface Reserve<Draw extends Drawn> {
  /** Takes one, from the reserve (`draw` is null) or by a draw. `isTaken` is false when nothing is left. */
  take(): Promise<{ readonly isTaken: boolean; readonly draw: Draw | null }>;
  /** Puts one back that is needed no more. */
  put(): void;
  /** How many are in the reserve. */
  held(): number;
}

/**
 * Creates a reserve. `draw` takes up to `wanted` from the nodes' common stock, `giveBack` returns `count`, 0 after a draw
 * that failed. Both are told how many are `drawn` and not returned: before the draw, and after the return. They run one
 * at a time; a return that rejects is followed by another one. `aheadMax` bounds what is drawn ahead.
 */
export function createReserve<Draw extends Drawn>(
  clock: Pick<Clock, "after">,
  stock: {
    readonly draw: (wanted: number, drawn: number) => Promise<Draw>;
    readonly giveBack: (count: number, drawn: number) => Promise<void>;
    readonly aheadMax: number;
  },
): Reserve<Draw> {
  let held = 0;
  let drawn = 0;
  let left = 0;
  let waiting = 0;
  let isTimed = false;
  /** Whether the stock may count more than was drawn: a call had no answer. */
  let isUnsure = false;
  let drawing: Promise<Draw> | null = null;
  let returning: Promise<void> | null = null;

  const hold = (): void => {
    if (isTimed || (held === 0 && !isUnsure)) return;
    isTimed = true;
    clock.after(KEPT_MS, () => {
      isTimed = false;
      if (drawing !== null) hold();
      else if (held > 0 || isUnsure) returning = giveBack();
    });
  };
  const giveBack = async (): Promise<void> => {
    const count = held;
    held = 0;
    drawn -= count;
    isUnsure = false;
    try {
      await stock.giveBack(count, drawn);
    } catch {
      isUnsure = true;
    }
    returning = null;
    hold();
  };
  const drawMore = async (): Promise<Draw> => {
    if (returning !== null) await returning;
    const ahead = Math.min(Math.floor(left * SHARE), stock.aheadMax);
    let draw: Draw;
    try {
      draw = await stock.draw(waiting + ahead, drawn);
    } catch (error) {
      isUnsure = true;
      hold();
      throw error;
    }
    held += draw.granted;
    drawn += draw.granted;
    left = draw.left;
    return draw;
  };
  return {
    async take() {
      if (held > 0) {
        held--;
        return { isTaken: true, draw: null };
      }
      waiting++;
      try {
        for (;;) {
          // Requests that wait together share a draw. One that came during a draw joins the next.
          const joined = drawing;
          const draw = await (drawing ??= drawMore().finally(() => {
            drawing = null;
          }));
          if (held > 0) {
            held--;
            hold();
            return { isTaken: true, draw };
          }
          if (joined === null || draw.granted === 0) return { isTaken: false, draw };
        }
      } finally {
        waiting--;
      }
    },
    put() {
      held++;
      hold();
    },
    held: () => held,
  };
}
