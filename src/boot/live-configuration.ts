// The configuration of a running service: the model set that new responses take, and how a reload replaces it.
import { buildCatalog } from "../config/catalog.ts";
import type { Config } from "../config/config.ts";
import { listUnpricedDiscovered } from "../config/discovered-models.ts";
import { showConfig } from "../config/shown-config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import type { Catalog } from "../core/models/catalog.ts";
import { type Configuration, ConfigurationError } from "../ports/configuration.ts";
import type { Log } from "../ports/log.ts";
import type { ModelSet } from "../ports/model-set.ts";
import type { ProviderRegistry } from "../ports/provider.ts";
import { genAiNameOf } from "../providers/registry.ts";
import type { Discovery } from "./discovery.ts";
import { inForce, listForRestart, listReloaded } from "./configuration-changes.ts";

export interface LiveConfiguration extends Configuration {
  /** The newest model set. */
  readonly modelSet: () => ModelSet;
  /** The newest reading. */
  readonly current: () => Config;
  /** What the service goes by: the newest reading, but for what only a start reads. */
  readonly inForce: () => Config;
  /** The name of a provider in the GenAI conventions of OpenTelemetry. */
  readonly genAiNameOf: (provider: string) => string;
  /** Looks at the servers that list their models, where that is due. Resolves to whether others are served now. Never rejects. */
  rediscover(log: Log): Promise<boolean>;
}

export interface ConfigurationSource {
  readonly discovery: Discovery;
  /** For what a reload finds at servers. */
  readonly log: () => Log;
  /** Reads the configuration again; rejects with an OperatorError. */
  readonly read: () => Promise<Config>;
  readonly createProviders: (config: Config) => Promise<ProviderRegistry>;
}

/** Makes the first model set of the configuration that the service started with, whose catalog is built. */
export async function openConfiguration(
  started: Config,
  catalog: Catalog,
  { read, createProviders, discovery, log: logOf }: ConfigurationSource,
): Promise<LiveConfiguration> {
  let config = started;
  let force = started;
  let modelSet: ModelSet = { catalog, providers: await createProviders(started) };
  let last: Promise<unknown> = Promise.resolve();

  const reload: Configuration["reload"] = async (record) => {
    const next = await check(read, discovery, logOf());
    const changes = {
      changed: listReloaded({ config: force, catalog: modelSet.catalog }, next),
      needsRestart: listForRestart(started, next.config),
      warnings: [...next.config.warnings, ...listUnpricedDiscovered(next.catalog.models, next.config.providers)],
    };
    const providers = await createProviders(next.config);
    await record(changes);
    // The former providers stay open for the responses that use them; their idle connections close by themselves.
    modelSet = { catalog: next.catalog, providers };
    config = next.config;
    force = inForce(force, next.config);
    return changes;
  };
  /** Whether the catalog lacks what was found. */
  let isBehind = false;
  return {
    show: () => showConfig(force),
    modelSet: () => modelSet,
    current: () => config,
    inForce: () => force,
    genAiNameOf: (provider) => genAiNameOf(config.providers, provider),
    rediscover(log) {
      const work = async (): Promise<boolean> => {
        if (await discovery.look(config, "due", log)) isBehind = true;
        if (!isBehind) return false;
        modelSet = { ...modelSet, catalog: discovery.watch(await buildCatalog(config, discovery.found())) };
        isBehind = false;
        return true;
      };
      // After a reload that runs, and before the next one.
      const looked = last.then(work).catch((error: unknown) => {
        log.warn("models.discovery_failed", {}, error);
        return false;
      });
      last = looked;
      return looked;
    },
    reload(record) {
      const reloaded = last.then(() => reload(record));
      last = reloaded.catch(() => {});
      return reloaded;
    },
  };
}

/** Reads everything and builds the catalog, which has faults of its own. */
async function check(
  read: () => Promise<Config>,
  discovery: Discovery,
  log: Log,
): Promise<{ config: Config; catalog: Catalog }> {
  try {
    const config = await read();
    await discovery.look(config, "all", log);
    return { config, catalog: discovery.watch(await buildCatalog(config, discovery.found())) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
}
