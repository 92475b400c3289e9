// The health of the providers, as the turns of one node have observed it, and their check.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ProviderHealth } from "../../api/client.ts";
import { LIVE_MS, providersQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { Ago } from "../../parts/time.tsx";
import { CheckOfProviders } from "./provider-check.tsx";
import { ProviderState } from "./provider-state.tsx";

export function Providers() {
  const providers = useQuery({ ...providersQuery, refetchInterval: LIVE_MS });
  return (
    <Section title="Providers">
      <Text size="sm">
        From the turns of the answering node since its start. A check asks each provider for its models, with each of
        its keys, and costs nothing.
      </Text>
      <Loaded
        query={providers}
        empty={<Empty title="No provider is configured">Start the service with a provider&apos;s key.</Empty>}
      >
        {(data) => (
          <DataTable
            caption="Providers"
            rows={data}
            rowKey={({ name }) => name}
            columns={[
              { title: "Provider", cell: ({ name, type }) => (name === type ? name : `${name} (${type})`) },
              { title: "Models", isNumber: true, cell: ({ models }) => formatCount(models) },
              { title: "State", cell: (provider) => <ProviderState provider={provider} /> },
              { title: "Last success", cell: ({ last_success_at: at }) => (at === null ? "none" : <Ago at={at} />) },
              { title: "Last failure", cell: (provider) => <LastFailure provider={provider} /> },
              { title: "Calls, 15 min", isNumber: true, cell: ({ recent }) => formatCount(recent.calls) },
              { title: "Failed", isNumber: true, cell: ({ recent }) => formatCount(recent.failures) },
              { title: "By code", cell: ({ recent }) => describeCodes(recent.by_code) },
            ]}
          />
        )}
      </Loaded>
      <CheckOfProviders />
    </Section>
  );
}

function LastFailure({ provider: { last_failure: failure } }: { provider: ProviderHealth }) {
  if (failure === null) return "none";
  return (
    <>
      <code>{failure.code}</code>
      {failure.status !== null && ` (HTTP ${failure.status})`}, <Ago at={failure.at} />
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
