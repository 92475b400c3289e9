import type { FailureSums } from "../../api/client.ts";
import { Time } from "../../parts/time.tsx";

/** A note that the sums leave out earlier failures; nothing when they are complete. */
export function ReadFrom({ of: { read_from: from } }: { of: FailureSums }) {
  if (from === null) return null;
  return (
    <div>
      The organization has too many failures to read all: earlier ones than <Time at={from} /> are missing.
    </div>
  );
}
