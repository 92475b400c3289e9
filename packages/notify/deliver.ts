// Delivers the events of the feed to a target, each at least once and in order. Targets do not wait for each other.
import type { NotifyTarget } from "./notify-file.ts";
import type { LogDelivery } from "./delivery-log.ts";
import type { Feed } from "./feed.ts";
import { type NoticeEvent, wants } from "./notice.ts";
import type { Send } from "./send.ts";
import type { State } from "./state.ts";

/** The pause after a first failure; each further one is twice as long, up to the longest. */
const PAUSE_MS_MIN = 5000;
const PAUSE_MS_MAX = 600_000;

export interface DeliverServices {
  readonly feed: Feed;
  readonly state: State;
  readonly send: Send;
  readonly clock: {
    nowMs(): number;
    /** Calls back after that time, unless the result is called before. */
    after(milliseconds: number, callback: () => void): () => void;
  };
  readonly logDelivery: LogDelivery;
  /** Reports a fault of the feed to the person who watches. */
  readonly warn: (message: string) => void;
  readonly everyMs: number;
  readonly giveUpAfterMs: number;
}

/** Delivers until the result is called, which resolves when no notice is being sent. */
export function startDelivering(services: DeliverServices, target: NotifyTarget): () => Promise<void> {
  const { feed, state, send, clock, logDelivery, warn, everyMs, giveUpAfterMs } = services;
  const { name } = target;
  let isStopped = false;
  let wake = (): void => {};
  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const stopTimer = clock.after(milliseconds, resolve);
      wake = () => {
        stopTimer();
        resolve();
      };
    });

  /** A delivery without its line in the log is one all the same: it must not be sent again. */
  const log: LogDelivery = (delivery) => {
    try {
      logDelivery(delivery);
    } catch (error) {
      warn(
        `${name}: the log of deliveries cannot be written: ${error instanceof Error ? error.message : "unknown error"}`,
      );
    }
  };

  /** Sends an event until it is delivered or dropped; false: stopped before. */
  const deliver = async (event: NoticeEvent): Promise<boolean> => {
    const entry = { target: name, event: event.id, type: event.type };
    for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
      if (isStopped) return false;
      try {
        // oxlint-disable-next-line no-await-in-loop -- attempts follow each other
        await send(target, event);
        log({ ...entry, outcome: "delivered" });
        return true;
      } catch (error) {
        const reason = error instanceof Error ? error.message : "unknown";
        const { after, failingSinceMs } = state.get(name) ?? { after: event.id - 1, failingSinceMs: null };
        const sinceMs = failingSinceMs ?? clock.nowMs();
        if (clock.nowMs() - sinceMs >= giveUpAfterMs) {
          log({ ...entry, outcome: "dropped", reason });
          return true;
        }
        if (failingSinceMs === null) state.set(name, { after, failingSinceMs: sinceMs });
        log({ ...entry, outcome: "failed", reason, next_attempt_seconds: pauseMs / 1000 });
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (!isStopped) await wait(pauseMs);
    }
  };

  /** Reads a page and delivers it; whether there is more to read at once. */
  const work = async (): Promise<boolean> => {
    const known = state.get(name);
    if (known === null) {
      // A new target begins with what happens from now on.
      state.set(name, { after: await feed.newestId(), failingSinceMs: null });
      return false;
    }
    const page = await feed.readAfter(known.after);
    for (const event of page.data) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      if (wants(target, event) && !(await deliver(event))) return false;
      state.set(name, { after: event.id, failingSinceMs: null });
    }
    return page.has_more;
  };

  const loop = async (): Promise<void> => {
    let pauseMs = everyMs;
    for (;;) {
      if (isStopped) return;
      let hasMore = false;
      try {
        // oxlint-disable-next-line no-await-in-loop -- page after page
        hasMore = await work();
        pauseMs = everyMs;
      } catch (error) {
        warn(`${name}: ${error instanceof Error ? error.message : "unknown error"}`);
        pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX);
      }
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (!hasMore && !isStopped) await wait(pauseMs);
    }
  };
  const ended = loop();
  return () => {
    isStopped = true;
    wake();
    return ended;
  };
}
