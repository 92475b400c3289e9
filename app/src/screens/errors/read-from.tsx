import IconAlertTriangle from "@tabler/icons-react/icons/IconAlertTriangle";
import type { FailureSums } from "../../api/client.ts";
import { Time } from "../../parts/time.tsx";

/** A warning that the sums leave out earlier failures; nothing when they are complete. */
export function ReadFrom({ of: { read_from: from } }: { of: FailureSums }) {
  if (from === null) return null;
  return (
    <div className="attention">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        Counted since <Time at={from} /> only: the organization has more failed responses than are read.
      </span>
    </div>
  );
}
