// The service, assembled from its configuration: ports, flows and both servers. It neither recovers nor listens yet.
import { type Config, readConfig } from "../config/config.ts";
import { buildCatalog } from "../config/catalog.ts";
import { trust } from "../config/extra-certificates.ts";
import { namesOfTargets } from "../core/models/targets.ts";
import { createProviderCheck } from "../flows/providers/provider-check.ts";
import { createProviderObserver } from "../flows/providers/health.ts";
import { createGateway, type Gateway } from "../flows/gateway.ts";
import type { InstalledFolder } from "../installation/folder.ts";
import type { ManageServices } from "../flows/manage/services.ts";
import { createChanges } from "../flows/manage/changes.ts";
import { createLongReads } from "../flows/manage/long-reads.ts";
import { createSignInAttempts } from "../flows/manage/sign-in-attempts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { ProviderRegistry } from "../ports/provider.ts";
import type { Services } from "../ports/services.ts";
import type { LaterSchema, Store, StoreError } from "../ports/store/store.ts";
import type { MetricsPage, Telemetry } from "../ports/telemetry.ts";
import { createProviderRegistry } from "../providers/registry.ts";
import { createManageServer, type ManageServer } from "../server/manage/server.ts";
import { v1FlowsOf } from "../server/v1/operations.ts";
import { createPublicServer, type PublicServer } from "../server/v1/server.ts";
import { createSystemClock } from "../system/clock.ts";
import { createSecrets } from "../system/hashing.ts";
import { createIds, mintAccountId } from "../system/ids.ts";
import { jsonSchemas } from "../system/json-schemas.ts";
import { type LoadMeter, startLoadMeter } from "../system/load.ts";
import { createManagementSecrets } from "../system/management-secrets.ts";
import { createRootKeys, type RootKeys } from "../system/root-keys.ts";
import { createMetrics, type Metrics } from "../system/metrics/metrics.ts";
import { listBusiest } from "../system/metrics/organizations.ts";
import { summarizeOutages } from "../system/outage-log.ts";
import { createPasswords } from "../system/passwords.ts";
import { withTraces } from "../system/traces.ts";
import { holdStore, loadRootSecrets, openStore } from "./store.ts";
import { openContentExport } from "./content-export.ts";
import { createDiscovery } from "./discovery.ts";
import { hostLibraries } from "./libraries.ts";
import { openConfiguration } from "./live-configuration.ts";
import { baseUrlOf } from "./origins.ts";
import { openSingleSignOn } from "./single-sign-on.ts";
import { nameNode } from "./version.ts";
import { watchStore } from "./watch-store.ts";

export interface AssembledService {
  readonly services: Services;
  readonly gateway: Gateway;
  readonly rootKeys: RootKeys;
  readonly manageServices: ManageServices;
  readonly server: PublicServer;
  readonly manageServer: ManageServer;
  readonly metricsPage: MetricsPage;
  /** If metrics are counted by organization, gives the busiest ones series of their own. Never rejects. */
  readonly listBusiest: () => Promise<void>;
  /** The newest reading of the configuration. */
  readonly currentConfig: () => Config;
  /** Looks at the servers that list their models, where that is due. Resolves to whether others are served now. */
  readonly rediscover: () => Promise<boolean>;
  /** The store that the start uses; requests get it when the service has started. */
  readonly ownStore: Store;
  /** Null: the database is there. Else the requests' store rejects (`unavailable`) until it is there and released. */
  readonly database: { readonly isThere: Promise<void>; release(): void } | null;
  /** Resolves when the store can serve nothing any more: the process has to end. */
  readonly storeLost: Promise<StoreError>;
  /** Resolves when a later version has migrated the store: the process has to stop, in order. `/v1` is 503 by then. */
  readonly leftBehind: Promise<LaterSchema>;
  /** Says at which port /v1 listens, for the address that people see. */
  listens(port: number): void;
  /** Stops the load meter and closes the providers and the store. */
  close(): Promise<void>;
}

/** What the process that runs the service takes part in. */
export interface ServiceHooks {
  /** Called when the database is out of reach: the service opens without it. Without the function it does not. */
  readonly onUnreachable?: (reason: StoreError) => void;
  /** Called when the management interface has reloaded the configuration. */
  readonly onReload?: () => void;
  /** Replaces the page of metrics by one that knows more. */
  readonly wrapMetricsPage?: (page: MetricsPage) => MetricsPage;
}

/** Parts that tests bring in place of those that the service creates. */
export interface TestParts {
  readonly clock?: Clock;
  readonly metrics?: Metrics;
  readonly providers?: ProviderRegistry;
  /** Reads the configuration again, for a reload. */
  readonly readConfig?: () => Promise<Config>;
  readonly load?: LoadMeter;
  /** The built management app. */
  readonly appFolder?: InstalledFolder;
  readonly wrapStore?: (store: Store) => Store;
  readonly openStore?: typeof openStore;
  readonly wrapTelemetry?: (telemetry: Telemetry) => Promise<Telemetry>;
}

/** The OpenAPI documents, loaded on demand: few requests ask for them, and each start would take 25 ms longer. */
const loadOpenApi = async () => (await import("../openapi/document.ts")).buildOpenApi();
const loadManageOpenApi = async () => (await import("../openapi/manage/document.ts")).buildManageOpenApi();

/** Loaded on demand too: few starts are followed by a check. */
async function askAll({ providers, proxies }: Config, clock: Clock) {
  const { askProviders } = await import("../providers/ask-providers.ts");
  return askProviders(providers, { ...hostLibraries(proxies, clock), clock, proxies });
}

/** Assembles the service. Throws an OperatorError when its configuration cannot work. */
export async function createService(
  config: Config,
  baseLog: Log,
  { onUnreachable, onReload = () => {}, wrapMetricsPage = (page) => page }: ServiceHooks = {},
  parts: TestParts = {},
): Promise<AssembledService> {
  const {
    clock = createSystemClock(),
    metrics = createMetrics(clock),
    wrapStore = (store) => store,
    wrapTelemetry = (telemetry) => withTraces(telemetry, configuration.genAiNameOf),
  } = parts;
  const { limits, database } = config;
  const ids = createIds();
  // The configuration is checked before anything is created.
  const discovery = createDiscovery(clock);
  await discovery.look(config, "all", baseLog);
  const catalog = discovery.watch(await buildCatalog(config, discovery.found()));
  // Before the store: reading the root secret creates the data folder, and fails when a database has lost its secret.
  const rootKeys = createRootKeys(await loadRootSecrets(config));
  const secrets = createSecrets(rootKeys);
  trust(config.extraCertificates);
  const observer = createProviderObserver(clock);
  const configuration = await openConfiguration(config, catalog, {
    discovery,
    log: () => log,
    read: parts.readConfig ?? (() => readConfig()),
    createProviders: async ({ providers, proxies }) =>
      observer.observe(
        parts.providers ??
          (await createProviderRegistry(providers, { ...hostLibraries(proxies, clock), clock, ids, proxies })),
      ),
  });
  const log = summarizeOutages(metrics.countLines(baseLog), clock);
  const organizations = config.metricsByOrganization ? metrics.countOrganizations() : null;
  const telemetry = await wrapTelemetry((organizations ?? metrics).telemetry);
  const contentExport = await openContentExport(config, {
    clock,
    log,
    telemetry: metrics.contentExport,
    genAiNameOf: configuration.genAiNameOf,
  });
  const open = parts.openStore ?? openStore;
  const opened = await open(config, {
    exclusive: true,
    secrets,
    clock,
    telemetry: metrics.store,
    ...(onUnreachable && { onUnreachable }),
  });
  const { promise: storeLost, resolve: onLost } = Promise.withResolvers<StoreError>();
  const { promise: leftBehind, resolve: onLeftBehind } = Promise.withResolvers<LaterSchema>();
  const watched = watchStore(opened.store, {
    lost(error) {
      log.error("store.lost", {}, error);
      onLost(error);
    },
    leftBehind(error) {
      log.error("store.left_behind", {}, error);
      gateway.leaveBehind(error);
      onLeftBehind(error);
    },
  });
  const load = parts.load ?? startLoadMeter(clock);
  const held = opened.reachable === null ? null : holdStore(watched);
  const services = {
    store: wrapStore(held?.store ?? watched),
    nodes: opened.nodes,
    modelSet: configuration.modelSet,
    clock: opened.clock,
    ids,
    secrets,
    jsonSchemas,
    log,
    load,
    telemetry,
    contentExport,
    limits,
    metadataKey: config.metadataKey,
  };
  const self = nameNode();
  const gateway = createGateway(services, self);
  const v1Flows = v1FlowsOf({ ...services, ...gateway }, gateway);
  const server = createPublicServer({ flows: v1Flows, limits, clock, ids, log, telemetry, buildOpenApi: loadOpenApi });
  let { port } = config;
  const managementSecrets = createManagementSecrets(rootKeys);
  const manageServices: ManageServices = {
    ...services,
    capacity: gateway,
    configuration,
    self,
    onReload,
    managementSecrets,
    passwords: createPasswords(),
    mintAccountId,
    attempts: createSignInAttempts(services.clock, opened.nodes, managementSecrets.hashAddress),
    drawChange: createChanges(services.clock),
    longReads: createLongReads(),
    healthOf: observer.healthOf,
    checkProviders: createProviderCheck(services.clock, () => askAll(configuration.current(), services.clock)),
    singleSignOn: openSingleSignOn(configuration.inForce, services.clock),
    manageUrl: config.manageUrl,
    baseUrl: () => config.publicUrl ?? baseUrlOf(config.host, port),
  };
  const metricsPage = metrics.page({
    occupancy: gateway.occupancy,
    limits,
    targets: () => namesOfTargets(configuration.modelSet().catalog.models),
    circuits: gateway.circuits,
    store: services.store,
    organizations,
    storeFile: database.engine === "sqlite" ? database.location : null,
  });
  return {
    services,
    rootKeys,
    gateway,
    manageServices,
    server,
    manageServer: createManageServer({
      services: manageServices,
      leftBehind: gateway.leftBehind,
      isReady: v1Flows.isReady,
      trustedProxies: config.trustedProxies,
      v1: server.v1,
      ...(parts.appFolder === undefined ? {} : { appFolder: parts.appFolder }),
      metrics: wrapMetricsPage(metricsPage),
      ids,
      buildOpenApi: loadManageOpenApi,
      buildV1OpenApi: loadOpenApi,
    }),
    metricsPage,
    listBusiest: async () => {
      if (organizations !== null) await listBusiest(organizations, { ...services, store: watched });
    },
    currentConfig: configuration.current,
    rediscover: () => configuration.rediscover(log),
    ownStore: watched,
    database: held === null || opened.reachable === null ? null : { isThere: opened.reachable, release: held.release },
    storeLost,
    leftBehind,
    listens(actual) {
      port = actual;
    },
    async close() {
      load.stop();
      // A start that failed has joined the other nodes; its renewals would keep the process alive.
      await gateway.leave().catch((error: unknown) => log.warn("node.leave_failed", {}, error));
      await configuration.modelSet().providers.close();
      await contentExport?.close();
      await services.store.close();
    },
  };
}
