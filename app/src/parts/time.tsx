import { formatTime } from "./format.ts";

/** A time in the person's zone, with UTC on hover. */
export function Time({ at }: { at: number }) {
  const { local, utc, iso } = formatTime(at);
  return (
    <time dateTime={iso} title={utc}>
      {local}
    </time>
  );
}
