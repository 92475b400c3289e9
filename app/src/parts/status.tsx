import type { ReactNode } from "react";

/** A short word about a state; the word says it, the colour only repeats it. */
export function Status({ tone, children }: { tone: "good" | "bad" | "warn" | "calm"; children: ReactNode }) {
  return <span className={`status status-${tone}`}>{children}</span>;
}
