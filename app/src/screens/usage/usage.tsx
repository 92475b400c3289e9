// Usage and charges: a table by day, model, key or member, whose rows add up to the total.
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import type { UsageRow } from "../../api/client.ts";
import { usageQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatCredits } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Screen } from "../../parts/screen.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { USAGE_GROUPS, type UsageGroup, type UsageSearch } from "../search.ts";
import { useOrganizationId } from "../use-organization-id.ts";
import { TurnsLink } from "../turns/turns-link.tsx";
import type { TurnsSearch } from "../turns/search.ts";
import { groupOf, USAGE_NUMBERS, usageCsv } from "./csv.ts";

const DayChart = lazy(async () => ({ default: (await import("./day-chart.tsx")).DayChart }));

export function Usage() {
  const id = useOrganizationId();
  const { role } = useSession();
  const search = useSearch({ from: "/signed-in/organizations/$organizationId/usage" });
  const navigate = useNavigate({ from: "/organizations/$organizationId/usage" });
  const { by, from, to } = search;
  const rows = useQuery(usageQuery(id, { by, from, to }));
  const total = useQuery(usageQuery(id, { from, to }));
  const filter = (change: Partial<UsageSearch>) => void navigate({ search: { ...search, ...change }, replace: true });
  return (
    <Screen
      title="Usage"
      about={`${mayManage(role) ? "Of the organization" : "Of your keys"}, by UTC days or hours. Failed and cancelled turns count with what they were charged.`}
      actions={
        <>
          <NativeSelect
            label="By"
            value={by}
            data={[...USAGE_GROUPS]}
            onChange={({ currentTarget }) => filter({ by: currentTarget.value as UsageGroup })}
          />
          <TextInput
            label="From"
            type="date"
            value={from}
            max={to}
            onChange={({ currentTarget }) => currentTarget.value !== "" && filter({ from: currentTarget.value })}
          />
          <TextInput
            label="To"
            type="date"
            value={to}
            min={from}
            onChange={({ currentTarget }) => currentTarget.value !== "" && filter({ to: currentTarget.value })}
          />
        </>
      }
    >
      <Loaded query={rows}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No usage in these days">Choose other days, or send a request with a key.</Empty>
          ) : (
            <>
              {by === "day" && (
                <Suspense fallback={<div className="chart-space" />}>
                  <DayChart rows={data} from={from} to={to} />
                </Suspense>
              )}
              <DataTable
                caption={`Usage by ${by}`}
                rows={data}
                rowKey={(row) => `${row.key ?? ""} ${row.member ?? ""} ${groupOf(row, by)}`}
                total={total.data?.[0]}
                columns={[
                  {
                    title: by[0]?.toUpperCase() + by.slice(1),
                    cell: (row) => (
                      <span className={by === "day" || by === "hour" ? "nowrap" : ""}>{groupOf(row, by)}</span>
                    ),
                  },
                  ...USAGE_NUMBERS.map(([key, title]) => ({
                    title,
                    isNumber: true,
                    cell: (row: (typeof data)[number]) => {
                      if (key === "credits") return formatCredits(row.credits);
                      if (key !== "responses") return formatCount(row[key]);
                      const turns = turnsOf(row, search);
                      const count = row.responses;
                      return turns === null ? (
                        formatCount(count)
                      ) : (
                        <TurnsLink id={id} search={turns} of={groupOf(row, by)} count={count} />
                      );
                    },
                  })),
                ]}
              />
              <div>
                <Button
                  variant="default"
                  onClick={() => download(`usage-${by}-${from}-${to}.csv`, usageCsv(data, total.data?.[0], by))}
                >
                  Download as CSV
                </Button>
              </div>
            </>
          )
        }
      </Loaded>
    </Screen>
  );
}

/** The filter of the turns that a row counts; null: there is none, as for an hour and for keys that belong to no member. */
function turnsOf(row: UsageRow, { by, from, to }: UsageSearch): TurnsSearch | null {
  if (by === "hour") return null;
  if (by === "day" && row.day != null) return { from: row.day, to: row.day };
  const name = row[by];
  if (name == null) return by in row ? null : { from, to };
  return { [by]: name, from, to };
}

/** Saves a text as a file of that name. */
function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
