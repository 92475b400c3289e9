// A table of sessions, each of which can be ended.
import type { ListedSession } from "../api/client.ts";
import { describeProgram } from "./program.ts";
import { ACTIONS, DataTable } from "../parts/data-table.tsx";
import { Confirm, useDialog } from "../parts/dialog.tsx";
import { RowActions } from "../parts/row-actions.tsx";
import { Status } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";

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
  const { open, dialog } = useDialog();
  const hasOperators = rows.some(({ operator }) => operator !== undefined);
  return (
    <>
      <DataTable
        caption={caption}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          ...(hasOperators ? [{ title: "Operator", cell: ({ operator }: Row) => operator }] : []),
          { title: "Signed in", value: ({ created }) => created, cell: ({ created }) => <Ago at={created} /> },
          { title: "Last used", value: ({ last_used: at }) => at, cell: ({ last_used: at }) => <Ago at={at} /> },
          { title: "Address", cell: ({ address }) => address ?? "unknown" },
          {
            title: "Program",
            isWide: true,
            cell: ({ user_agent: agent }) => <span title={agent ?? ""}>{describeProgram(agent)}</span>,
          },
          {
            title: ACTIONS,
            cell: (row) =>
              row.current ? (
                <Status tone="good">this one</Status>
              ) : (
                <RowActions
                  subject={describe(row)}
                  dangerous={{
                    End: () =>
                      open(
                        <Confirm
                          title={`End ${describe(row)}?`}
                          consequence="That person has to sign in again."
                          action="End the session"
                          said={`Ended: ${describe(row)}.`}
                          onConfirm={() => onEnd(row)}
                        />,
                      ),
                  }}
                />
              ),
          },
        ]}
      />
      {dialog}
    </>
  );
}

function describe({ operator, address }: Row): string {
  return `the session ${operator === undefined ? "" : `of ${operator} `}from ${address ?? "an unknown address"}`;
}
