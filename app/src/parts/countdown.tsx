import { useEffect, useState } from "react";
import { describeRest, formatTime } from "./format.ts";

const SECOND_MS = 1000;

/** The time left until then, counted down by the second. */
export function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  const isOver = now >= until * SECOND_MS;
  useEffect(() => {
    if (isOver) return undefined;
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  const { full, iso } = formatTime(until);
  return (
    <time dateTime={iso} title={full}>
      {isOver ? "is over" : describeRest(until * SECOND_MS - now)}
    </time>
  );
}
