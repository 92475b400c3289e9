// The health of the providers, as the turns of one node have observed it.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ProviderHealth } from "../../api/client.ts";
import { LIVE_MS, providersQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

export function Providers() {
  const providers = useQuery({ ...providersQuery, refetchInterval: LIVE_MS });
  return (
    <Section title="Providers">
      <Text size="sm">
        Observed from turns, by the node that answers and since it started. <code>turngate doctor</code> asks the
        providers themselves.
      </Text>
      <Loaded query={providers}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No provider is configured">Start the service with a provider&apos;s key.</Empty>
          ) : (
            <DataTable
              caption="Providers"
              rows={data}
              rowKey={({ name }) => name}
              columns={[
                { title: "Provider", cell: ({ name, type }) => (name === type ? name : `${name} (${type})`) },
                { title: "Models", isNumber: true, cell: ({ models }) => formatCount(models) },
                { title: "State", cell: (provider) => <State provider={provider} /> },
                { title: "Last success", cell: ({ last_success_at: at }) => (at === null ? "none" : <Time at={at} />) },
                { title: "Last failure", cell: (provider) => <LastFailure provider={provider} /> },
                { title: "Calls, 15 min", isNumber: true, cell: ({ recent }) => formatCount(recent.calls) },
                { title: "Failed", isNumber: true, cell: ({ recent }) => formatCount(recent.failures) },
                { title: "By code", cell: ({ recent }) => describeCodes(recent.by_code) },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

function State({ provider: { last_success_at: success, last_failure: failure } }: { provider: ProviderHealth }) {
  if (success === null && failure === null) return <Status tone="calm">not called yet</Status>;
  // A turn may end in the second of another one's failure; the success then counts.
  const isGood = failure === null || (success !== null && success >= failure.at);
  return <Status tone={isGood ? "good" : "bad"}>{isGood ? "answers" : "failed last"}</Status>;
}

function LastFailure({ provider: { last_failure: failure } }: { provider: ProviderHealth }) {
  if (failure === null) return "none";
  return (
    <>
      <code>{failure.code}</code>
      {failure.status !== null && ` (HTTP ${failure.status})`}, <Time at={failure.at} />
      {failure.request_id !== null && (
        <>
          , request <code>{failure.request_id}</code>
        </>
      )}
    </>
  );
}

function describeCodes(codes: ProviderHealth["recent"]["by_code"]): string {
  return codes.length === 0
    ? "none"
    : codes.map(({ code, failures }) => `${code}: ${formatCount(failures)}`).join(", ");
}
