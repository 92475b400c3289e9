// The catalog: what is served, at which price.
import { Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Model } from "../../api/client.ts";
import { LIVE_MS, modelsQuery, providersQuery } from "../../api/queries.ts";
import { DataTable } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatDollars } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Screen } from "../../parts/screen.tsx";
import { useSession } from "../../session/session.ts";
import { ProviderState } from "../service/provider-state.tsx";

export function Models() {
  const models = useQuery(modelsQuery);
  const isOperator = useSession().role === "operator";
  const { data: providers } = useQuery({ ...providersQuery, enabled: isOperator, refetchInterval: LIVE_MS });
  const stateOf = (provider: string) => {
    const health = providers?.find(({ name }) => name === provider);
    return health === undefined ? null : <ProviderState provider={health} />;
  };
  return (
    <Screen title="Models" about="Prices are in USD for a million tokens. A policy may allow an organization fewer.">
      <Loaded
        query={models}
        empty={
          <Empty title="No model is on">
            Start the service with a provider&apos;s key, or list models in <code>turngate.yaml</code>.
          </Empty>
        }
      >
        {(data) => (
          <DataTable
            caption="Models"
            rows={data}
            rowKey={(model) => model.id}
            columns={[
              {
                title: "Model",
                isWide: true,
                cell: ({ id, provider, upstream_model: model }) => (
                  <>
                    <Code>{id}</Code>
                    <div>
                      {provider} as {model}
                    </div>
                    {stateOf(provider)}
                  </>
                ),
              },
              { title: "Window", isNumber: true, cell: (model) => formatCount(model.context_window) },
              { title: "Output", isNumber: true, cell: (model) => formatCount(model.max_output_tokens) },
              { title: "Thinking", cell: ({ thinking }) => String(thinking) },
              {
                title: "Settings",
                isWide: true,
                cell: ({ group }) => (group.length === 0 ? "none" : group.join(", ")),
              },
              { title: "Input", isNumber: true, cell: ({ prices }) => formatPrice(prices.input) },
              { title: "Cached", isNumber: true, cell: ({ prices }) => formatPrice(prices.cached_input) },
              { title: "Cache write", isNumber: true, cell: ({ prices }) => formatPrice(prices.cache_write) },
              { title: "Output price", isNumber: true, cell: ({ prices }) => formatPrice(prices.output) },
              ...(data.some(({ prices }) => (prices.tiers ?? []).length > 0)
                ? [{ title: "Longer inputs", cell: describeTiers }]
                : []),
            ]}
          />
        )}
      </Loaded>
    </Screen>
  );
}

function formatPrice(usd: number): string {
  return usd === 0 ? "free" : formatDollars(usd);
}

function describeTiers({ prices: { tiers = [] } }: Model): string {
  if (tiers.length === 0) return "same price";
  return tiers
    .map(
      (tier) =>
        `above ${formatCount(tier.above_input_tokens)}: ${formatPrice(tier.input)} in, ${formatPrice(tier.output)} out`,
    )
    .join("; ");
}
