// The limits that are in force, and what is used of them on the node that answers.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { LimitsNow } from "../../api/client.ts";
import { limitsQuery, LIVE_MS } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { formatCount } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { LIMITS } from "./limits.ts";

export function LimitsInForce({ organizationId }: { organizationId: string }) {
  const limits = useQuery({ ...limitsQuery(organizationId), refetchInterval: LIVE_MS });
  return (
    <Loaded query={limits}>
      {({ limits: inForce, this_node: here }) => (
        <>
          <DataTable
            caption="Limits in force"
            rows={LIMITS}
            rowKey={([name]) => name}
            columns={[
              { title: "Limit", cell: ([, label]) => label },
              { title: "In force", isNumber: true, cell: ([name]) => countOrNone(inForce[name], "no limit") },
              { title: "Used now", isNumber: true, cell: ([name]) => countOrNone(usedOf(name, here), "–") },
            ]}
          />
          <Text size="sm" c="dimmed">
            Used on the answering node. With several nodes, the others may have used more.
          </Text>
        </>
      )}
    </Loaded>
  );
}

function usedOf(
  name: (typeof LIMITS)[number][0],
  { allowances, open_streams: open, turns }: LimitsNow["this_node"],
): number | null {
  if (name === "open_streams") return open;
  if (name === "concurrent_turns") return turns;
  return allowances.find(({ class: of }) => name === `${of}_per_minute`)?.used ?? null;
}

function countOrNone(count: number | null, none: string): string {
  return count === null ? none : formatCount(count);
}
