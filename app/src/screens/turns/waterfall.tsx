// What was tried before a turn ran, how long each call took, why it failed, and where the turn ran.
import { Code } from "@mantine/core";
import type { TurnDetail } from "../../api/client.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { formatMs } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { callsOf, type TargetCall } from "./target-calls.ts";
import { TurnStatus } from "./turn-status.tsx";

export function Waterfall({ turn }: { turn: TurnDetail }) {
  const isGood = ({ failure }: TargetCall) => failure === null && turn.status !== "failed";
  return (
    <DataTable
      caption="Targets"
      rows={callsOf(turn).map((call, at) => ({ ...call, number: at + 1 }))}
      rowKey={({ number }) => String(number)}
      columns={[
        { title: "Target", isWide: true, cell: ({ target }) => target },
        { title: "Outcome", cell: ({ failure }) => <Outcome turn={turn} failure={failure} /> },
        {
          title: "When",
          cell: (call) => call.bar !== null && <Bar {...call.bar} isGood={isGood(call)} />,
        },
        { title: "Began after", isNumber: true, cell: ({ startedMs }) => formatMs(startedMs) },
        { title: "Took", isNumber: true, cell: ({ durationMs }) => formatMs(durationMs) },
        {
          title: "Provider's request id",
          isMinor: true,
          cell: ({ requestId }) => requestId !== null && <Code>{requestId}</Code>,
        },
      ]}
    />
  );
}

function Outcome({ turn, failure }: { turn: TurnDetail; failure: TargetCall["failure"] }) {
  if (failure === null) return <TurnStatus turn={turn} />;
  const { code, provider_status: status } = failure;
  return (
    <>
      <Status tone="bad">{code}</Status> {status === null ? "no response" : status}
    </>
  );
}

/** A part of a turn's time, begin and length as shares of it. The numbers beside it say the same. */
export function Bar({ from, length, isGood }: { from: number; length: number; isGood: boolean }) {
  return (
    <span className="waterfall" aria-hidden>
      <span
        className={isGood ? "waterfall-bar waterfall-good" : "waterfall-bar"}
        style={{ left: `${from * 100}%`, width: `${length * 100}%` }}
      />
    </span>
  );
}
