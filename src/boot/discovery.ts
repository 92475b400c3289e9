// Discovery: what the servers of providers with `discover: true` list, looked at now and then. Each node looks itself.
import { MINUTE_MS, HOUR_MS } from "../base/time.ts";
import { buildCatalog } from "../config/catalog.ts";
import type { Config } from "../config/config.ts";
import type { Discovered } from "../config/discovered-models.ts";
import type { ProviderConfig } from "../config/provider-config.ts";
import type { Catalog } from "../core/models/catalog.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ServerModel } from "../providers/list-models.ts";
import { createSystemClock } from "../system/clock.ts";

/** How long a start and a reload wait for a server; a later look has more time. */
const FIRST_LOOK_MS = 2000;
const LATER_LOOK_MS = 5000;
/** Until the next look: after a list, and after none or one that lacks models. */
const NEXT_MS = HOUR_MS;
const AGAIN_MS = MINUTE_MS;
/** How often it is asked whether a look is due. */
export const DUE_EVERY_MS = MINUTE_MS;

interface Known {
  /** By their names: those of the last list, and those that vanished from it while they are used. */
  readonly models: ReadonlyMap<string, ServerModel>;
  /** When to look again, by the monotonic clock. */
  readonly dueMs: number;
  /** Where it was found: another server has other models. */
  readonly at: string | null;
  /** Whether the last look found no list, which is logged once. */
  readonly isFailing: boolean;
  /** Models that the last list lacked. They go when the next list lacks them too: a starting server lists none for a while. */
  readonly lacking: ReadonlySet<string>;
}

type LookLog = Pick<Log, "info" | "warn">;

export interface Discovery {
  /** Looks at the servers of a configuration, all of them or those that are due. Resolves to whether a list differs. Never rejects. */
  look(config: Pick<Config, "providers" | "proxies">, which: "all" | "due", log: LookLog): Promise<boolean>;
  /** What has been found. */
  readonly found: () => Discovered;
  /** The catalog, with a note of each discovered model that is asked for: one that vanished stays while it is used. */
  watch(catalog: Catalog): Catalog;
}

/** Only providers at their maker's or their own server list models: none needs credentials of a cloud. */
const noHost = () => Promise.reject(new Error("No host lists models."));
const WITHOUT_HOSTS = { loadLibrary: noHost, fetch: noHost };

export function createDiscovery(clock: Pick<Clock, "after" | "nowMs" | "monotonicMs">): Discovery {
  let known: ReadonlyMap<string, Known> = new Map();
  /** Ids that were asked for since the last look at their provider. */
  const used = new Set<string>();

  async function lookAt(
    provider: ProviderConfig,
    { proxies, timeoutMs, log }: Pick<Config, "proxies"> & { readonly timeoutMs: number; readonly log: LookLog },
  ): Promise<Known> {
    const { name, baseUrl } = provider;
    const earlier = known.get(name);
    const before = earlier?.at === baseUrl ? earlier.models : new Map<string, ServerModel>();
    try {
      // Loaded on demand: few services discover models.
      const { listServerModels } = await import("../providers/list-models.ts");
      const listed = await listServerModels(provider, { ...WITHOUT_HOSTS, clock, proxies, timeoutMs });
      const models = new Map(listed.map((model) => [model.name, model]));
      const lacking = new Set([...before.keys()].filter((model) => !models.has(model)));
      const isNew = (model: string) => earlier?.lacking.has(model) !== true;
      const hasNew = [...lacking].some(isNew);
      for (const [model, was] of before)
        if (lacking.has(model) && (isNew(model) || used.has(`${name}/${model}`))) models.set(model, was);
      if (!hasNew) for (const id of used) if (id.startsWith(`${name}/`)) used.delete(id);
      const added = [...models.keys()].filter((model) => !before.has(model)).length;
      const dropped = [...before.keys()].filter((model) => !models.has(model)).length;
      if (added + dropped > 0) log.info("models.discovered", { provider: name, models: models.size, added, dropped });
      const dueMs = clock.monotonicMs() + (hasNew ? AGAIN_MS : NEXT_MS);
      return { models, dueMs, at: baseUrl, isFailing: false, lacking };
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      if (earlier?.isFailing !== true) log.warn("models.discovery_failed", { provider: name, reason });
      const dueMs = clock.monotonicMs() + AGAIN_MS;
      return { models: before, dueMs, at: baseUrl, isFailing: true, lacking: earlier?.lacking ?? new Set() };
    }
  }

  return {
    async look({ providers, proxies }, which, log) {
      const nowMs = clock.monotonicMs();
      const timeoutMs = which === "all" ? FIRST_LOOK_MS : LATER_LOOK_MS;
      const looked = await Promise.all(
        providers
          .filter(({ discovers }) => discovers)
          .map(async (provider) => {
            const earlier = known.get(provider.name);
            const isDue = which === "all" || earlier === undefined || earlier.dueMs <= nowMs;
            return [provider.name, isDue ? await lookAt(provider, { proxies, timeoutMs, log }) : earlier] as const;
          }),
      );
      const before = known;
      known = new Map(looked);
      return looked.some(([name, { models }]) => !haveSameKeys(models, before.get(name)?.models));
    },
    found: () => new Map(Array.from(known, ([name, { models }]) => [name, [...models.values()]])),
    watch(catalog) {
      if (!catalog.models.some(({ isDiscovered }) => isDiscovered)) return catalog;
      return {
        ...catalog,
        find(name) {
          const model = catalog.find(name);
          if (model?.isDiscovered) used.add(model.id);
          return model;
        },
      };
    },
  };
}

/** The catalog of a configuration with what its servers list now, and which of them list nothing, for commands. */
export async function buildDiscoveredCatalog(
  config: Config,
): Promise<{ readonly catalog: Catalog; readonly failures: readonly string[] }> {
  const failures: string[] = [];
  const discovery = createDiscovery(createSystemClock());
  await discovery.look(config, "all", {
    info: () => {},
    warn: (_, { provider, reason } = {}) => failures.push(`the provider "${provider}" lists no models: ${reason}.`),
  });
  return { catalog: await buildCatalog(config, discovery.found()), failures };
}

function haveSameKeys(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown> = new Map()): boolean {
  return one.size === other.size && [...one.keys()].every((key) => other.has(key));
}
