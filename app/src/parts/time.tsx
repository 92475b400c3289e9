import { useSyncExternalStore } from "react";
import { describeDistance, formatTime } from "./format.ts";

/** A time to the minute in the person's zone; on hover to the second, and in UTC. */
export function Time({ at }: { at: number }) {
  const { text, full, iso } = formatTime(at);
  return (
    <time dateTime={iso} title={full} className="nowrap">
      {text}
    </time>
  );
}

/** The same in a table: within a day how long ago it was. */
export function Ago({ at }: { at: number }) {
  const { text, full, iso } = formatTime(at);
  const words = describeDistance(at, useNow());
  return (
    <time dateTime={iso} title={words === null ? full : `${text}\n${full}`} className="nowrap">
      {words ?? text}
    </time>
  );
}

const TICK_MS = 5000;
let nowMs = Date.now();

/** The time, which goes on while it is shown; all that show it change together. */
const useNow = (): number => useSyncExternalStore(subscribe, () => nowMs);

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(watch: () => void): () => void {
  if (watchers.size === 0) {
    nowMs = Date.now();
    timer = setInterval(() => {
      nowMs = Date.now();
      for (const each of watchers) each();
    }, TICK_MS);
  }
  watchers.add(watch);
  return () => {
    watchers.delete(watch);
    if (watchers.size === 0) clearInterval(timer);
  };
}
