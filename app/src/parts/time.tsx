import { formatTime } from "./format.ts";

/** A time in the person's zone, with UTC on hover; a short one has no seconds. */
export function Time({ at, isShort = false }: { at: number; isShort?: boolean }) {
  const { local, short, utc, iso } = formatTime(at);
  return (
    <time dateTime={iso} title={utc}>
      {isShort ? short : local}
    </time>
  );
}
