// The turns of the filters by group, above their log; each group leads to its turns.
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { TurnGrouping, TurnGroups } from "../../api/client.ts";
import { turnGroupsQuery } from "../../api/turn-queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { SelectField } from "../../parts/fields.tsx";
import { formatCount } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Time } from "../../parts/time.tsx";
import { mayManage } from "../../session/roles.ts";
import { useSession } from "../../session/session.ts";
import { saveFile } from "../usage/save-file.ts";
import { queryOf } from "../time-range.ts";
import { groupsCsv } from "./groups-csv.ts";
import { GROUPINGS, NONE, type TurnsSearch } from "./search.ts";
import { TurnsLink } from "./turns-link.tsx";
import { Credits } from "../../parts/money.tsx";

const REFRESH_MS = 30_000;

interface Shown {
  readonly organizationId: string;
  readonly search: TurnsSearch;
}

/** What turns are grouped by, in words. */
const wordsOf = (by: TurnGrouping) => by.replace("_", " ");

export function GroupChoice({
  by,
  onGroup,
}: {
  by: TurnGrouping | undefined;
  onGroup: (by: TurnGrouping | undefined) => void;
}) {
  const { role } = useSession();
  // Members see their own turns alone.
  const offered = GROUPINGS.filter((each) => each !== "member" || mayManage(role));
  return (
    <div className="inline-fields">
      <SelectField
        label="Group by"
        value={by ?? ""}
        data={[{ value: "", label: "nothing" }, ...offered.map((value) => ({ value, label: wordsOf(value) }))]}
        onChange={(value) => onGroup(value === "" ? undefined : value)}
      />
    </div>
  );
}

export function Groups({ organizationId, search, by }: Shown & { by: TurnGrouping }) {
  const groups = useQuery({ ...turnGroupsQuery(organizationId, by, queryOf(search)), refetchInterval: REFRESH_MS });
  return (
    <Loaded query={groups}>
      {(found) =>
        found.total.turns > 0 && (
          <>
            <GroupTable organizationId={organizationId} search={search} groups={found} />
            {found.read_from !== null && (
              <Text size="sm" c="dimmed">
                There are too many responses to read all: earlier ones than <Time at={found.read_from} /> are missing.
              </Text>
            )}
            <div>
              <Button variant="default" onClick={() => saveFile(`responses-by-${by}.csv`, groupsCsv(found))}>
                Download as CSV
              </Button>
            </div>
          </>
        )
      }
    </Loaded>
  );
}

type Sums = TurnGroups["total"];

interface Row extends Sums {
  readonly name: string;
  /** As the filter takes it; null: of several groups. */
  readonly group: string | null;
}

function GroupTable({ organizationId, search, groups }: Shown & { groups: TurnGroups }) {
  const { by, data, others, none, total } = groups;
  const rows: readonly Row[] = [
    ...data.map((row) => ({ ...row, name: row.name ?? row.id, group: row.id })),
    ...(others.groups === 0 ? [] : [{ ...others, name: `${formatCount(others.groups)} others`, group: null }]),
    ...(none.turns === 0
      ? []
      : [{ ...none, name: `without a ${wordsOf(by)}`.replace("a end", "an end"), group: NONE }]),
  ];
  const link = ({ name, group }: Row, count: number, more: TurnsSearch = {}) =>
    group === null ? (
      formatCount(count)
    ) : (
      <TurnsLink
        organizationId={organizationId}
        search={{ ...behind(search, by, group), ...more }}
        subject={name}
        count={count}
      />
    );
  return (
    <DataTable<Row>
      caption={`Responses by ${wordsOf(by)}`}
      rows={rows}
      rowKey={({ group }) => group ?? ""}
      total={{ ...total, name: "", group: null }}
      columns={[
        {
          title: wordsOf(by).replace(/^./, (letter) => letter.toUpperCase()),
          isWide: true,
          value: ({ name }) => name,
          cell: ({ name }) => name,
        },
        { title: "Responses", isNumber: true, value: ({ turns }) => turns, cell: (row) => link(row, row.turns) },
        {
          title: "Failed",
          isNumber: true,
          value: ({ failed }) => failed,
          cell: (row) => link(row, row.failed, { status: "failed" }),
        },
        { title: "Input", isNumber: true, cell: (row) => formatCount(row.input_tokens) },
        { title: "Output", isNumber: true, cell: (row) => formatCount(row.output_tokens) },
        {
          title: "Credits",
          isNumber: true,
          value: ({ credits }) => credits,
          cell: ({ credits }) => <Credits amount={credits} />,
        },
      ]}
    />
  );
}

/** The filter of a group's turns. An end user is named once: by the hash, not by what clients send too. */
function behind({ safety_identifier: sent, ...search }: TurnsSearch, by: TurnGrouping, group: string): TurnsSearch {
  return { ...search, ...(sent === undefined || by === "end_user" ? {} : { safety_identifier: sent }), [by]: group };
}
