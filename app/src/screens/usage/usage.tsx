// Usage and charges: a chart and a table by time and one or two groups, of an organization or of all. The rows add up to
// the total, and each number leads to the turns behind it.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { UsageList, UsageRow } from "../../api/client.ts";
import { usageQuery } from "../../api/queries.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatCredits, formatShare } from "../../parts/format.ts";
import { TextLink } from "../../parts/link.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Dollars } from "../../parts/money.tsx";
import { formatDays } from "./day-range.ts";
import { Screen } from "../../parts/screen.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { TurnsLink } from "../turns/turns-link.tsx";
import { useOrganizationId } from "../use-organization-id.ts";
import { USAGE_NUMBERS, usageCsv } from "./csv.ts";
import { saveFile } from "./save-file.ts";
import { nameOf, timeNameOf, timesOfRow, turnsBehind } from "./rows.ts";
import {
  isMoney,
  type Metric,
  readOwnUsageSearch,
  readWholeUsageSearch,
  subjectsOf,
  usageFilterOf,
  type UsageSearch,
} from "./search.ts";
import { labelTimes } from "./time-label.ts";
import { UsageControls, type UsageChange } from "./usage-controls.tsx";

const UsageChart = lazy(async () => ({ default: (await import("./usage-chart.tsx")).UsageChart }));

/** Of an organization. */
export function Usage() {
  const organizationId = useOrganizationId();
  const { role } = useSession();
  const whose = mayManage(role) ? "Of the organization" : "Of your keys";
  return <UsageScreen organizationId={organizationId} title="Usage" whose={whose} read={readOwnUsageSearch} />;
}

/** Of all organizations, for the operator. */
export function WholeUsage() {
  const title = "Usage of all organizations";
  return <UsageScreen organizationId={null} title={title} whose="Of the whole service" read={readWholeUsageSearch} />;
}

interface Shown {
  /** The organization; null: all. */
  readonly organizationId: string | null;
  readonly search: UsageSearch;
}

function UsageScreen({
  organizationId,
  title,
  whose,
  read,
}: Pick<Shown, "organizationId"> & {
  title: string;
  whose: string;
  read: (search: Record<string, unknown>) => UsageSearch;
}) {
  // The router hands on what the check of the route's search leaves out.
  const search = useSearch({ strict: false, select: read });
  const navigate = useNavigate();
  const change: UsageChange = (changed) => void navigate({ to: ".", search: { ...search, ...changed }, replace: true });
  const rows = useQuery(usageQuery(organizationId, usageFilterOf(search)));
  const total = useQuery(usageQuery(organizationId, usageFilterOf(search, true)));
  const sum = total.data?.data[0];
  const { from, to, zone } = search;
  const { data } = rows;
  return (
    <Screen
      title={title}
      about={`${whose}, by days of ${zone}. Failed and cancelled responses count with what they were charged.${zone === "UTC" ? "" : " Budgets count days of UTC."}`}
      actions={
        data !== undefined &&
        data.data.length > 0 && (
          <Button
            variant="default"
            onClick={() => saveFile(`usage-${from}-${to}.csv`, usageCsv(data.data, sum, search))}
          >
            Download as CSV
          </Button>
        )
      }
    >
      <UsageControls organizationId={organizationId} search={search} onChange={change} />
      <Loaded query={rows}>
        {(list) =>
          list.data.length === 0 || sum?.responses === 0 ? (
            <Empty title="No usage in these days">Choose other days or filters, or send a request with a key.</Empty>
          ) : (
            <>
              {search.every !== "total" && (
                <Suspense fallback={<div className="chart-space" />}>
                  <UsageChart organizationId={organizationId} list={list} search={search} />
                </Suspense>
              )}
              <UsageTable organizationId={organizationId} list={list} total={sum} search={search} />
            </>
          )
        }
      </Loaded>
    </Screen>
  );
}

function UsageTable({ organizationId, list, total, search }: Shown & { list: UsageList; total: UsageRow | undefined }) {
  const subjects = subjectsOf(search);
  const { every } = search;
  const columns: Column<UsageRow>[] = subjects.map((subject) => ({
    title: subject[0]?.toUpperCase() + subject.slice(1),
    isWide: true,
    value: (row) => nameOf(row, subject),
    cell: (row) => nameOf(row, subject),
  }));
  if (every !== "total") {
    const title = { hour: "Hour", day: "Day", month: "Month" }[every];
    columns.push({ title, value: (row) => timeNameOf(row, every), cell: (row) => showTime(row, search) });
  }
  // Without a group the only row is the total.
  const hasGroups = columns.length > 0;
  if (!hasGroups) columns.push({ title: "Days", cell: () => formatDays(search) });
  for (const [key, title] of USAGE_NUMBERS) {
    columns.push({
      title,
      isNumber: true,
      isMinor: key !== "credits" && key !== "responses",
      isOptional: key === "cache_write_tokens" || key === "reasoning_tokens",
      value: (row) => row[key],
      cell: (row) => (
        <>
          <Figure
            organizationId={organizationId}
            row={row}
            list={list}
            search={search}
            metric={key}
            format={isMoney(key) ? formatCredits : formatCount}
          />
          {isMoney(key) && (
            <>
              {" "}
              <Dollars amount={row[key]} />
            </>
          )}
          {key === "cached_tokens" && row.cached_tokens > 0 && row.cached_share !== null && (
            <> ({formatShare(row.cached_share)})</>
          )}
        </>
      ),
    });
  }
  return (
    <ListTable
      caption="Usage"
      rows={list.data}
      rowKey={(row) => [row.organization, row.key, row.member, row.model, timeNameOf(row, every)].join(" ")}
      total={hasGroups ? total : undefined}
      columns={columns}
    />
  );
}

function showTime(row: UsageRow, search: UsageSearch): string {
  const time = timeNameOf(row, search.every);
  // The total has none.
  return time === "" ? "" : (labelTimes([time], search)[0] ?? time);
}

/** A figure of a row, which leads to the turns that it counts: of one organization in their log, of several to their usage. */
function Figure({
  organizationId,
  row,
  list,
  search,
  metric,
  format,
}: Shown & { row: UsageRow; list: UsageList; metric: Metric; format: (count: number) => string }) {
  const count = row[metric];
  const of = [...subjectsOf(search).map((subject) => nameOf(row, subject)), timeNameOf(row, search.every)].join(" ");
  const behind = turnsBehind(row, timesOfRow(row, list), search, organizationId);
  if (behind !== null) return <TurnsLink {...behind} subject={of.trim() || "all"} count={count} format={format} />;
  if (count === 0) return format(count);
  const { model = search.model } = row;
  return (
    <TextLink
      to="/service/usage"
      search={{ ...search, by: "organization", and: "none", every: "total", ...(model ? { model } : {}) }}
      aria-label={`${format(count)}, the organizations of ${of.trim() || "all"}`}
    >
      {format(count)}
    </TextLink>
  );
}
