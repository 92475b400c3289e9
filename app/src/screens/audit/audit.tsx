// The audit log: who changed what, with the values before and after.
import { Code, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AuditEntry } from "../../api/client.ts";
import { auditQuery } from "../../api/queries.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Older } from "../../parts/older.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { useNames } from "../names.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { Change } from "./change.tsx";

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
  const named = useNames(organizationId);
  const whoOf = ({ actor }: AuditEntry) => named(`${actor.kind} ${actor.id}`);
  const whatOf = ({ target }: AuditEntry) => named(target ?? "");
  const shown = entries?.filter((entry) =>
    [entry.action, whoOf(entry), whatOf(entry)].some((text) => text.toLowerCase().includes(action.toLowerCase())),
  );
  return (
    <Screen
      title={title}
      about="Every change, newest first. An entry never holds a secret, and none can be changed or removed."
      actions={
        <TextInput
          label="Filter"
          description="Action, who or on what, of the entries read so far"
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
                { title: "Who", cell: (entry) => <Breakable text={whoOf(entry)} /> },
                {
                  title: "Action",
                  cell: (entry) => (
                    <Code>
                      <Breakable text={entry.action} />
                    </Code>
                  ),
                },
                { title: "On", cell: (entry) => <Breakable text={whatOf(entry)} /> },
                { title: "Change", isWide: true, cell: (entry) => <Change of={entry} named={named} /> },
                ...(organizationId === null
                  ? [{ title: "Organization", cell: (entry: AuditEntry) => named(entry.organization ?? "") }]
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
