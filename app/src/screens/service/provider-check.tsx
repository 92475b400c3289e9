// Asks the providers themselves, each with each of its keys.
import { Stack, Text } from "@mantine/core";
import { api, type ProviderCheck, take } from "../../api/client.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatMs } from "../../parts/format.ts";
import { Run } from "../../parts/run.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

export function CheckOfProviders() {
  return (
    <Run
      action="Check the providers"
      run={() => take(api.POST("/providers/check"))}
      whileRunning={<Text size="sm">Asking the providers. Each has 5 seconds to reply.</Text>}
    >
      {(check) => <Checked check={check} />}
    </Run>
  );
}

function Checked({ check: { data, checked_at: at } }: { check: ProviderCheck }) {
  if (data.length === 0) return <Empty title="No providers to check">None is configured.</Empty>;
  const rows = data.flatMap(({ name, type, keys }) =>
    keys.map((key) => ({ ...key, provider: name === type ? name : `${name} (${type})`, hasOthers: keys.length > 1 })),
  );
  const failed = rows.filter(({ ok }) => !ok).length;
  return (
    <Stack gap="sm">
      <Text component="div">
        <Status tone={failed === 0 ? "good" : "bad"}>
          {failed === 0 ? "all work" : `${failed} of ${rows.length} do not work`}
        </Status>{" "}
        Checked at <Time at={at} />
      </Text>
      <DataTable
        caption="Check of the providers"
        rows={rows}
        rowKey={({ provider, position }) => `${provider} ${position}`}
        columns={[
          {
            title: "Provider",
            cell: ({ provider, position, hasOthers }) => (hasOthers ? `${provider}, key ${position}` : provider),
          },
          { title: "Result", cell: ({ ok }) => <Status tone={ok ? "good" : "bad"}>{ok ? "works" : "fails"}</Status> },
          { title: "What was found", isWide: true, cell: ({ detail }) => detail },
          { title: "Took", isNumber: true, cell: ({ duration_ms: duration }) => formatMs(duration) },
        ]}
      />
    </Stack>
  );
}
