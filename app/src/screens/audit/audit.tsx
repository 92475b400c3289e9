// The audit log: who changed what, with the values before and after.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AuditEntry } from "../../api/client.ts";
import { AUDIT_PAGE, auditQuery } from "../../api/queries.ts";
import { ShortIds } from "../../parts/id.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Pages } from "../../parts/pages.tsx";
import { Screen } from "../../parts/screen.tsx";
import { Ago } from "../../parts/time.tsx";
import { useNames } from "../names.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { queryOf, useTimes } from "../time-range.ts";
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
  const pages = useInfiniteQuery(auditQuery(organizationId, queryOf(useTimes(search))));
  const named = useNames(organizationId);
  const whoOf = ({ actor, actor_name: name }: AuditEntry) => named(`${actor.kind} ${name ?? actor.id}`);
  const whatOf = ({ target }: AuditEntry) => named(target ?? "");
  return (
    <Screen
      title={title}
      about="Every change, newest first. Entries contain no secrets and cannot be changed or removed."
    >
      <Filters
        organizationId={organizationId}
        search={search}
        onChange={(change) => void navigate({ to: ".", search: { ...search, ...change }, replace: true })}
      />
      <Pages
        pages={pages}
        noun="entries"
        fillTo={AUDIT_PAGE}
        empty={
          <Empty title="No such entry">
            {Object.keys(search).length === 0 ? "Nothing has been changed yet." : "Change the filters."}
          </Empty>
        }
      >
        {(rows) => (
          <ListTable
            isPaged
            caption={title}
            rows={rows}
            rowKey={(entry) => String(entry.id)}
            columns={[
              { title: "When", value: ({ at }) => at, cell: ({ at }) => <Ago at={at} /> },
              { title: "Who", value: whoOf, cell: (entry) => <ShortIds text={whoOf(entry)} /> },
              {
                title: "Action",
                value: ({ action }) => actionWords(action),
                cell: ({ action }) => actionWords(action),
              },
              { title: "On", value: whatOf, cell: (entry) => <ShortIds text={whatOf(entry)} /> },
              {
                title: "Change",
                isWide: true,
                isSentence: true,
                cell: (entry) => <Change entry={entry} named={named} />,
              },
              ...(organizationId === null
                ? [{ title: "Organization", cell: (entry: AuditEntry) => named(entry.organization ?? "") }]
                : []),
            ]}
          />
        )}
      </Pages>
    </Screen>
  );
}
