import type { LoggedTurn, TurnStatus as StatusOf } from "../../api/client.ts";
import { Status } from "../../parts/status.tsx";

const TONES = {
  queued: "warn",
  in_progress: "calm",
  completed: "good",
  incomplete: "warn",
  failed: "bad",
  cancelled: "calm",
} as const satisfies Record<StatusOf, string>;

/** A turn's status, with the code of a failure. */
export function TurnStatus({
  turn: { status, failure_code: code },
}: {
  turn: Pick<LoggedTurn, "status" | "failure_code">;
}) {
  return (
    <Status tone={TONES[status]}>
      {code === null ? (
        status.replace("_", " ")
      ) : (
        <>
          <span className="for-readers">{status}: </span>
          {code}
        </>
      )}
    </Status>
  );
}
