// The audit log: who changed what, with the values before and after.
import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AuditEntry } from "../../api/client.ts";
import { AUDIT_PAGE, auditQuery } from "../../api/queries.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Older } from "../../parts/older.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Time } from "../../parts/time.tsx";
import { useNames } from "../names.ts";
import { useFirstPage } from "../use-first-page.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { actionWords } from "./actions.ts";
import { Change } from "./change.tsx";
import { Filters } from "./filters.tsx";
import { readAuditSearch } from "./search.ts";

export function OrganizationAudit() {
  return <Audit organizationId={useOrganizationId()} title="Audit log" />;
}

export function WholeAudit() {
  return <Audit organizationId={null} title="Audit log of all organizations" />;
}

function Audit({ organizationId, title }: { organizationId: string | null; title: string }) {
  // The router hands on what the check of the route's search leaves out.
  const search = useSearch({ strict: false, select: readAuditSearch });
  const navigate = useNavigate();
  const pages = useInfiniteQuery(auditQuery(organizationId, search));
  const isSearching = useFirstPage(pages, AUDIT_PAGE);
  const entries = pages.data?.pages.flatMap(({ data }) => data);
  const named = useNames(organizationId);
  const whoOf = ({ actor }: AuditEntry) => named(`${actor.kind} ${actor.id}`);
  const whatOf = ({ target }: AuditEntry) => named(target ?? "");
  return (
    <Screen
      title={title}
      about="Every change, newest first. An entry never holds a secret, and none can be changed or removed."
    >
      <Filters
        organizationId={organizationId}
        search={search}
        onChange={(change) => void navigate({ to: ".", search: { ...search, ...change }, replace: true })}
      />
      <Loaded query={{ data: entries, error: pages.error, refetch: pages.refetch }}>
        {(rows) =>
          rows.length === 0 && isSearching ? (
            <Text role="status">Searching older entries…</Text>
          ) : rows.length === 0 ? (
            <Empty title="No such entry">
              {Object.keys(search).length === 0 ? "Nothing has been changed yet." : "Change the filters."}
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
                { title: "Action", cell: ({ action }) => actionWords(action) },
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
      {!isSearching && <Older what="entries" pages={pages} />}
    </Screen>
  );
}
