// The processes that share the database, and the version of the one that answers.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ManagedNode } from "../../api/client.ts";
import { LIVE_MS, nodesQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Ago } from "../../parts/time.tsx";

const TONES = { serving: "good", draining: "warn", gone: "calm" } as const;

export function Nodes() {
  const nodes = useQuery({ ...nodesQuery, refetchInterval: LIVE_MS });
  return (
    <Section title="Nodes">
      <Loaded query={nodes}>
        {({ data, this_process: { name, version } }) => (
          <>
            <Text size="sm">
              Turngate {version}; <code>{name}</code> answers.
              {data.length === 0 && " The database is embedded: one process serves on it."}
            </Text>
            {data.length > 0 && <NodeTable nodes={data} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function NodeTable({ nodes }: { nodes: readonly ManagedNode[] }) {
  return (
    <DataTable
      caption="Nodes"
      rows={nodes}
      rowKey={({ id }) => `${id}`}
      columns={[
        { title: "Node", isWide: true, value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
        { title: "Version", cell: ({ version }) => version },
        {
          title: "State",
          value: ({ state }) => state,
          cell: ({ state }) => <Status tone={TONES[state]}>{state}</Status>,
        },
        {
          title: "Running responses",
          isNumber: true,
          value: (node) => node.running_turns,
          cell: (node) => formatCount(node.running_turns),
        },
        { title: "Started", value: ({ started_at: at }) => at, cell: ({ started_at: at }) => <Ago at={at} /> },
        { title: "Lease until", cell: ({ lease_until: at }) => <Ago at={at} /> },
        { title: "Gone", cell: (node) => (node.state === "gone" ? <Ago at={node.gone_at ?? node.lease_until} /> : "") },
      ]}
    />
  );
}
