// The catalog: what is served, at which price.
import { Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Model } from "../../api/client.ts";
import { LIVE_MS, modelsQuery, providersQuery } from "../../api/queries.ts";
import type { Column } from "../../parts/data-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount, formatDollars } from "../../parts/format.ts";
import { ListTable } from "../../parts/list-table.tsx";
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
          <ListTable
            caption="Models"
            find="Find a model"
            rows={data}
            rowKey={(model) => model.id}
            columns={[
              {
                title: "Model",
                isWide: true,
                value: ({ id }) => id,
                cell: ({ id }) => <Code title={id}>{id}</Code>,
              },
              {
                title: "Provider",
                value: ({ provider, upstream_model: model }) => `${provider} as ${model}`,
                cell: ({ provider, upstream_model: model }) => (
                  <span className="of-row" title={`${provider} as ${model}`}>
                    {provider}
                    {stateOf(provider)}
                  </span>
                ),
              },
              {
                title: "Upstream model",
                isOptional: true,
                isMinor: true,
                cell: ({ upstream_model: model }) => model,
              },
              ...NUMBERS,
              { title: "Thinking", isMinor: true, cell: ({ thinking }) => String(thinking) },
              {
                title: "Settings",
                isMinor: true,
                cell: ({ group }) => (
                  <span title={group.join("\n")}>{group.length === 0 ? "none" : formatCount(group.length)}</span>
                ),
              },
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

const number = (title: string, value: (model: Model) => number, format = formatCount): Column<Model> => ({
  title,
  isNumber: true,
  value,
  cell: (model) => format(value(model)),
});

const NUMBERS: readonly Column<Model>[] = [
  number("Window", (model) => model.context_window),
  { ...number("Max output", (model) => model.max_output_tokens), isMinor: true },
  number("Input $/M", ({ prices }) => prices.input, formatPrice),
  { ...number("Cached $/M", ({ prices }) => prices.cached_input, formatPrice), isMinor: true },
  { ...number("Cache write $/M", ({ prices }) => prices.cache_write, formatPrice), isMinor: true },
  number("Output $/M", ({ prices }) => prices.output, formatPrice),
];

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
