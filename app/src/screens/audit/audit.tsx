// The audit log: who changed what, with the values before and after.
import { Code, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AuditEntry } from "../../api/client.ts";
import { auditQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Older } from "../../parts/older.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { useOrganizationId } from "../use-organization-id.ts";

export function OrganizationAudit() {
  return <Audit organizationId={useOrganizationId()} title="Audit log" />;
}

export function WholeAudit() {
  return <Audit organizationId={null} title="Audit log of all organizations" />;
}

function Audit({ organizationId, title }: { organizationId: string | null; title: string }) {
  const pages = useInfiniteQuery(auditQuery(organizationId));
  const { action = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const entries = pages.data?.pages.flatMap(({ data }) => data);
  const shown = entries?.filter((entry) => entry.action.includes(action));
  return (
    <Screen
      title={title}
      about="Every change, newest first. An entry never holds a secret, and none can be changed or removed."
      actions={
        <TextInput
          label="Action"
          description="of the entries read so far"
          value={action}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ to: ".", search: value === "" ? {} : { action: value }, replace: true })
          }
        />
      }
    >
      <Loaded query={{ data: shown, error: pages.error, refetch: pages.refetch }}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No such entry">
              {action === "" ? "Nothing has been changed yet." : "Clear the filter, or read older entries."}
            </Empty>
          ) : (
            <DataTable
              isPaged
              caption={title}
              rows={rows}
              rowKey={(entry) => String(entry.id)}
              columns={[
                { title: "When", cell: ({ at }) => <Time at={at} /> },
                { title: "Who", cell: ({ actor }) => `${actor.kind} ${actor.id}` },
                { title: "Action", cell: (entry) => <Code>{entry.action}</Code> },
                { title: "On", cell: ({ target }) => target ?? "" },
                { title: "Change", isWide: true, cell: (entry) => <Change of={entry} /> },
                ...(organizationId === null
                  ? [{ title: "Organization", cell: (entry: AuditEntry) => entry.organization ?? "" }]
                  : []),
              ]}
            />
          )
        }
      </Loaded>
      <Older what="entries" pages={pages} />
    </Screen>
  );
}

/** The fields that differ, before and after. */
function Change({ of: { before, after } }: { of: AuditEntry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter((name) => show(before, name) !== show(after, name));
  return changed.map((name) => (
    <div key={name}>
      {name}: {show(before, name) !== null && <del>{show(before, name)}</del>}{" "}
      {show(after, name) !== null && <ins>{show(after, name)}</ins>}
    </div>
  ));
}

function show(values: Readonly<Record<string, unknown>> | null, name: string): string | null {
  const value = values?.[name];
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
