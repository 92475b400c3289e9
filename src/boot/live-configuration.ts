// The configuration of a running service: the model set that new responses take, and how a reload replaces it.
import { buildCatalog } from "../config/catalog.ts";
import type { Config } from "../config/config.ts";
import { showConfig } from "../config/shown-config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import type { Catalog } from "../core/models/catalog.ts";
import { type Configuration, ConfigurationError } from "../ports/configuration.ts";
import type { ModelSet } from "../ports/model-set.ts";
import type { ProviderRegistry } from "../ports/provider.ts";
import { genAiNameOf } from "../providers/registry.ts";
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
}

export interface ConfigurationSource {
  /** Reads the configuration again; rejects with an OperatorError. */
  readonly read: () => Promise<Config>;
  readonly createProviders: (config: Config) => Promise<ProviderRegistry>;
}

/** Makes the first model set of the configuration that the service started with, whose catalog is built. */
export async function openConfiguration(
  started: Config,
  catalog: Catalog,
  { read, createProviders }: ConfigurationSource,
): Promise<LiveConfiguration> {
  let config = started;
  let force = started;
  let modelSet: ModelSet = { catalog, providers: await createProviders(started) };
  let last: Promise<unknown> = Promise.resolve();

  const reload: Configuration["reload"] = async (record) => {
    const next = await check(read);
    const changes = {
      changed: listReloaded({ config: force, catalog: modelSet.catalog }, next),
      needsRestart: listForRestart(started, next.config),
      warnings: next.config.warnings,
    };
    const providers = await createProviders(next.config);
    await record(changes);
    // The former providers stay open for the responses that use them; their idle connections close by themselves.
    modelSet = { catalog: next.catalog, providers };
    config = next.config;
    force = inForce(force, next.config);
    return changes;
  };
  return {
    show: () => showConfig(force),
    modelSet: () => modelSet,
    current: () => config,
    inForce: () => force,
    genAiNameOf: (provider) => genAiNameOf(config.providers, provider),
    reload(record) {
      const reloaded = last.then(() => reload(record));
      last = reloaded.catch(() => {});
      return reloaded;
    },
  };
}

/** Reads everything and builds the catalog, which has faults of its own. */
async function check(read: () => Promise<Config>): Promise<{ config: Config; catalog: Catalog }> {
  try {
    const config = await read();
    return { config, catalog: await buildCatalog(config) };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
}
