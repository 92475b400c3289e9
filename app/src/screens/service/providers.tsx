// The health of the providers, as the turns of one node have observed it, and their check.
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ProviderHealth } from "../../api/client.ts";
import { LIVE_MS, providersQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { describeRest, formatCount } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/screen.tsx";
import { Status } from "../../parts/status.tsx";
import { Ago } from "../../parts/time.tsx";
import { CheckOfProviders } from "./provider-check.tsx";
import { hasFailedLast, ProviderState } from "./provider-state.tsx";

export function Providers() {
  const providers = useQuery({ ...providersQuery, refetchInterval: LIVE_MS });
  const { data = [] } = providers;
  return (
    <Section title="Providers">
      <Text size="sm">
        From the responses of the answering node since its start. A check asks each provider for its models, with each
        of its keys, and costs nothing.
      </Text>
      <Loaded
        query={providers}
        empty={<Empty title="No provider is configured">Start the service with a provider&apos;s key.</Empty>}
      >
        {(rows) => (
          <DataTable
            caption="Providers"
            rows={rows}
            rowKey={({ name }) => name}
            columns={[
              {
                title: "Provider",
                isWide: true,
                value: nameOf,
                cell: nameOf,
              },
              {
                title: "State",
                value: (provider) => Number(!hasFailedLast(provider)),
                cell: (provider) => <ProviderState provider={provider} />,
              },
              {
                title: "Models",
                isNumber: true,
                isMinor: true,
                value: ({ models }) => models,
                cell: ({ models }) => formatCount(models),
              },
              { title: "Last success", cell: ({ last_success_at: at }) => (at === null ? "none" : <Ago at={at} />) },
              {
                title: "Calls, 15 min",
                isNumber: true,
                value: ({ recent }) => recent.calls,
                cell: ({ recent }) => formatCount(recent.calls),
              },
              {
                title: "Failed",
                isNumber: true,
                value: ({ recent }) => recent.failures,
                cell: ({ recent }) => formatCount(recent.failures),
              },
              {
                title: "By code",
                value: ({ recent }) => describeCodes(recent.by_code),
                cell: ({ recent }) => describeCodes(recent.by_code),
              },
              { title: "Last failure", cell: (provider) => <LastFailure provider={provider} /> },
            ]}
          />
        )}
      </Loaded>
      {data.some(({ targets }) => targets.length > 0) && <Targets providers={data} />}
      <CheckOfProviders />
    </Section>
  );
}

const nameOf = ({ name, type }: ProviderHealth): string => (name === type ? name : `${name} (${type})`);

/** The last failure in a line; the request of the provider is on hover. */
function LastFailure({ provider: { last_failure: failure } }: { provider: ProviderHealth }) {
  if (failure === null) return "none";
  const { at, code, status, request_id: request } = failure;
  return (
    <span title={request === null ? code : `${code}, request ${request}`}>
      {status !== null && `HTTP ${status}, `}
      <Ago at={at} />
    </span>
  );
}

const RESTS = {
  closed: { tone: "good", word: "is asked" },
  half_open: { tone: "warn", word: "is tried" },
  open: { tone: "bad", word: "rests" },
} as const;

/** The targets of models with several, which rest after failures. */
function Targets({ providers }: { providers: readonly ProviderHealth[] }) {
  const rows = providers.flatMap(({ name, targets }) => targets.map((target) => ({ ...target, provider: name })));
  return (
    <Section title="Targets">
      <Text size="sm">
        A model with several targets asks the next one when one fails. A target that fails in a row rests, and is then
        tried with one response.
      </Text>
      <DataTable
        caption="Targets"
        rows={rows}
        rowKey={({ provider, target }) => `${provider} ${target}`}
        columns={[
          { title: "Target", isWide: true, value: ({ target }) => target, cell: ({ target }) => <code>{target}</code> },
          { title: "Provider", value: ({ provider }) => provider, cell: ({ provider }) => provider },
          {
            title: "State",
            value: ({ state }) => state,
            cell: ({ state }) => <Status tone={RESTS[state].tone}>{RESTS[state].word}</Status>,
          },
          {
            title: "Rests for",
            isNumber: true,
            value: (row) => row.rests_for_seconds,
            cell: (row) => (row.rests_for_seconds === 0 ? "" : describeRest(row.rests_for_seconds * 1000)),
          },
          {
            title: "Failures in a row",
            isNumber: true,
            value: ({ failures }) => failures,
            cell: ({ failures }) => formatCount(failures),
          },
        ]}
      />
    </Section>
  );
}

function describeCodes(codes: ProviderHealth["recent"]["by_code"]): string {
  return codes.length === 0
    ? "none"
    : codes.map(({ code, failures }) => `${code}: ${formatCount(failures)}`).join(", ");
}
