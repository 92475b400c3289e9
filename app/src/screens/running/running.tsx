// What runs and waits now.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Running } from "../../api/client.ts";
import { allRunningQuery, LIVE_MS, runningQuery } from "../../api/queries.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Ago } from "../../parts/time.tsx";
import { useNamesById } from "../names.ts";

type Turn = Running["data"][number];

/** Rows shown: the oldest turns, which are the ones to look at. */
const SHOWN = 20;

/** In an organization. */
export function RunningNow({ organizationId }: { organizationId: string }) {
  const running = useQuery({ ...runningQuery(organizationId), refetchInterval: LIVE_MS });
  return (
    <Section title="Running now">
      <Loaded query={running}>
        {(data) => (
          <>
            <Summary running={data} />
            <Turns running={data} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** In the whole service. */
export function AllRunningNow() {
  const running = useQuery({ ...allRunningQuery, refetchInterval: LIVE_MS });
  const names = useNamesById(null);
  return (
    <Section title="Running now">
      <Loaded query={running}>
        {(data) => (
          <>
            <Summary running={data} />
            <Text size="sm">
              This node may run {formatCount(data.this_node.concurrent_turns)} responses at once and let{" "}
              {formatCount(data.this_node.queued_turns)} wait; {formatCount(data.this_node.creates_admitted)} requests
              are between arrival and begin.
            </Text>
            <Turns
              running={data}
              first={{ title: "Organization", cell: ({ organization: id }) => names.get(id) ?? id }}
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Summary({ running }: { running: Running }) {
  const { in_progress: inProgress, queued, this_node: here } = running;
  if (inProgress + queued + here.open_streams === 0) return null;
  return (
    <Text size="sm">
      {formatCount(inProgress)} in progress, {formatCount(queued)} queued, on all nodes. On the node that answers:{" "}
      {formatCount(here.in_progress)} in progress, {formatCount(here.queued)} queued, {formatCount(here.open_streams)}{" "}
      open streams.
    </Text>
  );
}

function Turns({ running, first }: { running: Running; first?: Column<Turn> }) {
  const { data, in_progress: inProgress, queued } = running;
  if (data.length === 0) return <Empty title="Nothing runs">Responses appear here while they run.</Empty>;
  const columns: Column<Turn>[] = [
    { title: "Response", cell: ({ id }) => <Id id={id} /> },
    { title: "Model", isWide: true, cell: ({ model }) => model },
    { title: "Key", cell: (turn) => turn.key_name },
    { title: "Since", value: ({ since }) => since, cell: ({ since }) => <Ago at={since} /> },
    {
      title: "State",
      cell: ({ status }) => (
        <Status tone={status === "queued" ? "warn" : "good"}>{status === "queued" ? "queued" : "in progress"}</Status>
      ),
    },
    {
      title: "Read as",
      cell: ({ stream }) => (stream === null ? "on another node" : stream ? "stream" : "one reply"),
    },
  ];
  const shown = data.slice(0, SHOWN);
  const more = inProgress + queued - shown.length;
  return (
    <>
      <DataTable
        caption="Running responses"
        rows={shown}
        rowKey={({ id }) => id}
        columns={first === undefined ? columns : [first, ...columns]}
      />
      {more > 0 && <Text size="sm">{formatCount(more)} more, all younger than these.</Text>}
    </>
  );
}
