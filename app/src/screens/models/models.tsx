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
                value: (model) => upstreamByProvider(model).map(describe).join("; "),
                cell: (model) =>
                  upstreamByProvider(model).map((one) => (
                    <div key={one.provider}>
                      <span className="of-row" title={describe(one)}>
                        {one.provider}
                        {stateOf(one.provider)}
                      </span>
                    </div>
                  )),
              },
              {
                title: "Upstream model",
                isOptional: true,
                isMinor: true,
                cell: (model) =>
                  upstreamByProvider(model)
                    .map(({ upstream }) => upstream.join(", "))
                    .join(", "),
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
              ...(data.some((model) => placesOf(model).some(({ prices }) => (prices.tiers ?? []).length > 0))
                ? [{ title: "Longer inputs", cell: describeTiers }]
                : []),
            ]}
          />
        )}
      </Loaded>
    </Screen>
  );
}

const number = (title: string, value: (model: Model) => number): Column<Model> => ({
  title,
  isNumber: true,
  value,
  cell: (model) => formatCount(value(model)),
});

const NUMBERS: readonly Column<Model>[] = [
  number("Window", (model) => model.context_window),
  { ...number("Max output", (model) => model.max_output_tokens), isMinor: true },
  price("Input $/M", "input"),
  { ...price("Cached $/M", "cached_input"), isMinor: true },
  { ...price("Cache write $/M", "cache_write"), isMinor: true },
  price("Output $/M", "output"),
];

/** Where the turns of a model run: at its targets, if it has some. */
type Place = Pick<Model, "provider" | "upstream_model" | "prices">;

function placesOf(model: Model): readonly Place[] {
  return model.targets ?? [model];
}

/** The providers of a model, each with the names that they have for it. */
function upstreamByProvider(model: Model) {
  const places = placesOf(model);
  return [...new Set(places.map(({ provider }) => provider))].map((provider) => ({
    provider,
    upstream: places.filter((place) => place.provider === provider).map((place) => place.upstream_model),
  }));
}

function describe({ provider, upstream }: { readonly provider: string; readonly upstream: readonly string[] }): string {
  return `${provider} as ${upstream.join(", ")}`;
}

/** A price, from the lowest to the highest of the places. */
function price(title: string, kind: "input" | "cached_input" | "cache_write" | "output"): Column<Model> {
  const lowestOf = (model: Model) => Math.min(...placesOf(model).map(({ prices }) => prices[kind]));
  return {
    title,
    isNumber: true,
    value: lowestOf,
    cell(model) {
      const lowest = lowestOf(model);
      const highest = Math.max(...placesOf(model).map(({ prices }) => prices[kind]));
      if (lowest === highest) return formatPrice(lowest);
      // In two lines, for the columns to fit.
      return (
        <>
          {formatPrice(lowest)} –<br />
          {formatPrice(highest)}
        </>
      );
    },
  };
}

function formatPrice(usd: number): string {
  return usd === 0 ? "free" : formatDollars(usd);
}

function describeTiers(model: Model): string {
  return [...new Set(placesOf(model).map(describeTiersAt))].join("; or ");
}

function describeTiersAt({ prices: { tiers = [] } }: Place): string {
  if (tiers.length === 0) return "same price";
  return tiers
    .map(
      (tier) =>
        `above ${formatCount(tier.above_input_tokens)}: ${formatPrice(tier.input)} in, ${formatPrice(tier.output)} out`,
    )
    .join("; ");
}
