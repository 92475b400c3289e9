// The settings of a service of the tests, its catalog, and the configuration that they make.
import { DEFAULT_CONNECTIONS } from "../../src/contract/connections.ts";
import type { Config } from "../../src/config/config.ts";
import type { ContentExportConfig } from "../../src/config/content-export.ts";
import type { SingleSignOnConfig } from "../../src/config/single-sign-on.ts";
import type { DatabaseConfig } from "../../src/config/database-url.ts";
import { DEFAULT_LIMITS, type ServiceLimits } from "../../src/contract/limits.ts";
import { MODEL_GROUPS, type Setting } from "../../src/contract/settings.ts";
import { type CatalogModel, USD_PER_CREDIT } from "../../src/core/models/catalog.ts";
import type { InstalledFolder } from "../../src/installation/folder.ts";
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { Telemetry } from "../../src/ports/telemetry.ts";
import { NO_PROXIES } from "../../src/providers/wire/proxies.ts";
import { familyOf } from "./family-of.ts";
import { modelOf } from "./responses.ts";

const ROOT_SECRET = "a root secret for tests, longer than 32 characters";

/** A model of the tests' catalog: everything supported unless given otherwise. */
export function testModel(id: string, more: Partial<CatalogModel> = {}): CatalogModel {
  return modelOf({ id, provider: "scripted", upstreamModel: id, ...more });
}

export const TEST_MODELS: readonly CatalogModel[] = [
  testModel("test/all"),
  testModel("test/group-a", { settings: new Set<Setting>(MODEL_GROUPS.A) }),
  testModel("test/group-b", { settings: new Set<Setting>(MODEL_GROUPS.B), hasEndUserField: false }),
  testModel("test/group-c", { settings: new Set<Setting>(MODEL_GROUPS.C) }),
  testModel("test/unforced", { forcedToolChoice: false }),
  testModel("test/thinking", { thinking: { budgetTokens: 1024 } }),
  // Usable: 3,000 − 100 − 15 − 2,000 = 885 tokens, 3,540 characters, with max_output_tokens 100.
  testModel("test/small", { contextWindow: 3_000, defaultOutputTokens: 100, maxOutputTokens: 500 }),
];

export interface ServiceSettings {
  readonly limits?: Partial<ServiceLimits>;
  readonly metadataKey?: string | null;
  readonly metricsByOrganization?: boolean;
  readonly models?: readonly CatalogModel[];
  readonly providers?: ProviderRegistry;
  /** Configured besides those of the models. */
  readonly furtherProviders?: Config["providers"];
  /** What a reload reads; the same configuration by default. */
  readonly reread?: (started: Config) => Promise<Config>;
  readonly isOverloaded?: () => boolean;
  readonly manageUrl?: string | null;
  readonly publicUrl?: string | null;
  readonly trustedProxies?: Config["trustedProxies"];
  readonly singleSignOn?: SingleSignOnConfig | null;
  readonly contentExport?: ContentExportConfig | null;
  /** The built management app. */
  readonly appFolder?: InstalledFolder;
  /** Wraps the store, for faults. */
  readonly wrapStore?: (store: Store) => Store;
  /** Wraps the telemetry, for traces. */
  readonly wrapTelemetry?: (telemetry: Telemetry) => Promise<Telemetry>;
  /** With TEST_TARGETS too, a model has one target: the tests count calls, or log lines about them. */
  readonly hasPlainModels?: boolean;
  /** A database to serve on; a new embedded one by default. */
  readonly database?: DatabaseConfig;
}

/** A configuration without files and environment. */
export function configOf(
  databasePath: string,
  {
    limits,
    models,
    furtherProviders = [],
    manageUrl = null,
    publicUrl = null,
    trustedProxies = [],
    database,
    singleSignOn = null,
    contentExport = null,
    metadataKey = null,
    metricsByOrganization = false,
  }: ServiceSettings,
): Config {
  return {
    file: null,
    host: "127.0.0.1",
    port: 0,
    manageHost: "127.0.0.1",
    managePort: 0,
    manageUrl,
    publicUrl,
    trustedProxies,
    database: database ?? { engine: "sqlite", location: databasePath },
    connections: DEFAULT_CONNECTIONS,
    rootSecret: ROOT_SECRET,
    formerSecret: null,
    bootstrapApiKey: null,
    logLevel: "debug",
    families: [],
    providers: [
      ...[...new Set((models ?? TEST_MODELS).map(({ provider }) => provider))].map((name) => ({
        name,
        family: familyOf("simulated"),
        apiKey: null,
        baseUrl: null,
        because: "its models",
      })),
      ...furtherProviders,
    ],
    models: models ?? TEST_MODELS,
    hasBuiltInModels: false,
    prices: { models: new Map(), date: "2026-01-01", own: null },
    aliases: {},
    proxies: NO_PROXIES,
    extraCertificates: [],
    singleSignOn,
    contentExport,
    limits: { ...DEFAULT_LIMITS, ...limits },
    metadataKey,
    metricsByOrganization,
    usdPerCredit: USD_PER_CREDIT,
    warnings: [],
  };
}
