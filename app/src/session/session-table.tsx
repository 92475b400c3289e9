// A table of sessions, each of which can be ended.
import { useState } from "react";
import type { ListedSession } from "../api/client.ts";
import { useChange } from "../api/use-change.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { RowAction } from "../parts/row-action.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";

/** A session of a list; those of operators have the operator's name. */
type Row = ListedSession & { readonly operator?: string };

export function SessionTable({
  caption,
  rows,
  onEnd,
}: {
  caption: string;
  rows: readonly Row[];
  /** Ends a session; the tab's own is never given. */
  onEnd: (session: Row) => Promise<unknown>;
}) {
  const [ending, setEnding] = useState<Row | null>(null);
  const end = useChange(onEnd);
  const hasOperators = rows.some(({ operator }) => operator !== undefined);
  return (
    <>
      <DataTable
        caption={caption}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          ...(hasOperators ? [{ title: "Operator", cell: ({ operator }: Row) => operator }] : []),
          { title: "Signed in", cell: ({ created }) => <Time at={created} /> },
          { title: "Last used", cell: ({ last_used: at }) => <Time at={at} /> },
          { title: "Address", cell: ({ address }) => address ?? "unknown" },
          { title: "Program", cell: ({ user_agent: agent }) => <span className="wrap">{agent ?? "unknown"}</span> },
          {
            title: "Actions",
            cell: (row) =>
              row.current ? (
                <Status tone="good">this one</Status>
              ) : (
                <RowAction label="End" name={`End ${describe(row)}`} onClick={() => setEnding(row)} />
              ),
          },
        ]}
      />
      {ending !== null && (
        <Confirm
          title={`End ${describe(ending)}?`}
          consequence="Whoever uses it has to sign in again."
          action="End the session"
          onConfirm={() => end.mutateAsync(ending)}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}

function describe({ operator, address }: Row): string {
  return `the session ${operator === undefined ? "" : `of ${operator} `}from ${address ?? "an unknown address"}`;
}
