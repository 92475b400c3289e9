// Starts the service of this environment and stops it in order.
import { dirname } from "node:path";
import { type Config, readConfig } from "../config/config.ts";
import { listUnpricedDiscovered } from "../config/discovered-models.ts";
import { secretPathOf } from "../config/root-secret.ts";
import { installation } from "../installation/installation.ts";
import { startProviderWatch } from "../flows/providers/provider-watch.ts";
import { repeat } from "../flows/repeat.ts";
import { presentModel } from "../manage/models.ts";
import { reloadConfiguration } from "../flows/accounts/reload-configuration.ts";
import { nowSeconds, pause } from "../ports/clock.ts";
import { LaterSchema, StoreError } from "../ports/store/store.ts";
import { type OpenLog, openLog, openStdout } from "../system/log.ts";
import { createSystemClock } from "../system/clock.ts";
import { flushTraces } from "../system/traces.ts";
import { bootstrap, createFirstLink, lookAtKeys } from "./bootstrap.ts";
import {
  describeProviders,
  type FirstKey,
  greet,
  greetLater,
  greetWithKey,
  greetWithLink,
  pickFirstModel,
} from "./greeting.ts";
import { type GreetingOutput, openGreetingOutput } from "./greeting-output.ts";
import { DUE_EVERY_MS } from "./discovery.ts";
import { createHostChecks, type HostChecks } from "./host-checks.ts";
import { exitOnBugs } from "./fatal-errors.ts";
import { addressesOf, listenOnBoth, type Ports } from "./listen-on-both.ts";
import { baseUrlOf, originOf } from "./origins.ts";
import { type AssembledService, createService } from "./service.ts";
import { createServingFile, type ServingFile } from "./serving-file.ts";
import type { Signals } from "./on-signals.ts";
import { followRotation } from "./store.ts";
import type { Parent } from "./processes/child.ts";
import { nameNode } from "./version.ts";
import { printWarnings } from "./warnings.ts";
import { keepChecking } from "./watch-store.ts";

/** How long open replies may still be sent after the store is lost. */
const LAST_REPLIES_MS = 2000;

/** The pause before a step of the start is done again, milliseconds. */
const STEP_AGAIN_MS = 500;

/** A service that listens. */
export interface Started {
  /** The base URL of /v1. */
  readonly baseUrl: string;
  readonly manageUrl: string;
  /** The first organization's key; null on a later start. */
  readonly apiKey: string | null;
}

/**
 * Starts the service, as one of several processes if it has a parent; resolves when it listens. From then on signals stop
 * it in order.
 */
export async function serve(signals: Signals, parent: Parent | null = null): Promise<Started> {
  try {
    return await assembleAndStart(signals, parent);
  } catch (error) {
    if (!(error instanceof LaterSchema) || parent === null) throw error;
    // The parent says why, once for all of its processes.
    await parent.leftBehind(error.message);
    return process.exit(1);
  }
}

async function assembleAndStart(signals: Signals, parent: Parent | null): Promise<Started> {
  const config = await readConfig();
  const greets = parent?.greets ?? true;
  if (greets) printWarnings(config.warnings);
  // The lines of several nodes usually end in one place.
  const node = config.database.engine === "postgres" ? { node: nameNode().name } : null;
  const openedLog = openLog(config.logLevel, openStdout(), node);
  exitOnBugs(openedLog);
  const onUnreachable = (reason: StoreError): void => {
    printWarnings([`${reason.message} The service waits for it; meanwhile requests get a 503.`]);
    openedLog.log.warn("database.unreachable", {}, reason);
  };
  const servingFile = createServingFile(config);
  const hostChecks = greets ? createHostChecks(createSystemClock(), openedLog.log) : null;
  const onReloaded = (): void => {
    servingFile.update();
    hostChecks?.look(service.currentConfig());
  };
  const service = await createService(config, openedLog.log, {
    onUnreachable,
    onReload: () => {
      onReloaded();
      parent?.reloaded();
    },
    ...(parent !== null && { wrapMetricsPage: parent.shareMetrics }),
  });
  const { models } = service.services.modelSet().catalog;
  if (greets) printWarnings(listUnpricedDiscovered(models, config.providers));
  try {
    return await start(config, service, openedLog, { signals, parent, greets, servingFile, hostChecks, onReloaded });
  } catch (error) {
    await Promise.all([service.server.close(), service.manageServer.close()]);
    // A failed start must leave nothing running that would keep the process alive.
    await service.close();
    await openedLog.flush();
    throw error;
  }
}

interface StartParts {
  readonly signals: Signals;
  readonly parent: Parent | null;
  readonly greets: boolean;
  readonly servingFile: ServingFile;
  /** Null for one of several processes, of which another one asks. */
  readonly hostChecks: HostChecks | null;
  readonly onReloaded: () => void;
}

/** Recovers, listens, handles signals and prints the greeting. */
async function start(
  config: Config,
  service: AssembledService,
  openedLog: OpenLog,
  { signals, parent, greets, servingFile, hostChecks, onReloaded }: StartParts,
): Promise<Started> {
  const { services, gateway, server, manageServer } = service;
  const { log, clock, store } = services;
  const { host, manageHost } = config;
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const servers = { v1: server, manage: manageServer };
  const listen = (until: Promise<unknown>) => listenOnBoth(parent ?? addressesOf(config), servers, until);
  const closeServers = () => Promise.all([server.close(), manageServer.close()]);
  let listening: Ports | null = null;
  if (service.database !== null) {
    // Without its database it serves 503s and is not ready.
    listening = await listen(Promise.resolve());
    signals.handleBy({ stop: () => closeServers().then(service.close), reload: async () => {} });
    openedLog.release();
    log.info("service.waiting", { ...describePlaces(config, listening), process: process.pid });
    await service.database.isThere;
  }
  await untilReachable(service, gateway.recover);
  await service.listBusiest();
  const { port, managePort } = listening ?? (await listen(opened));
  service.listens(port);
  // After both ports are taken, so that a start which fails on a port does not use up the key, shown only once.
  // Before the first request is served, because that request may carry the key.
  const manageUrl = config.manageUrl ?? originOf(manageHost, managePort);
  const greeting = openGreetingOutput(dirname(secretPathOf(config.database)));
  const greetFirst = () => greetWithKeys(config, service, { manageUrl, greeting });
  const first = greets ? await untilReachable(service, greetFirst) : null;
  service.database?.release();
  open();
  const stopHousekeeping = gateway.startHousekeeping();
  const stopWatching = startProviderWatch(service.manageServices);
  const rediscover = async () => {
    if (await service.rediscover()) servingFile.update();
  };
  const stopDiscovering = repeat(clock, { everyMs: DUE_EVERY_MS, work: rediscover, onError: () => {} });
  const stopChecking = keepChecking(store, clock);
  const stopFollowing = followRotation(service.rootKeys, { store, clock, log });
  const giveUp = async (lost: StoreError) => {
    gateway.giveUp(lost);
    const late = new Promise<void>((resolve) => clock.after(LAST_REPLIES_MS, resolve));
    await Promise.race([closeServers(), late]);
    await exitAfterLoss(openedLog, lost);
  };
  void service.storeLost.then(giveUp);

  let leftBehind: LaterSchema | null = null;
  const leave = (error: LaterSchema) => {
    leftBehind = error;
    void parent?.leftBehind(error.message);
    signals.stop("later schema");
  };
  void service.leftBehind.then(leave);

  const stop = async (signal: string) => {
    log.info("service.stopping", { signal });
    try {
      const upkeepStopped = Promise.all([
        stopChecking(),
        stopFollowing(),
        stopHousekeeping(),
        stopWatching(),
        stopDiscovering(),
      ]);
      // It listens while it drains: new work gets a 503 and /readyz reports it. A closed port would look like a crash. Only
      // where other processes go on to serve the port are new connections left to them; and where other nodes serve, a
      // balancer that makes no checks is refused here, so that it asks another one.
      const leavesAddress = parent !== null && !parent.isStopping();
      await Promise.all([server.startClosing({ leavesAddress }), manageServer.startClosing({ leavesAddress })]);
      await gateway.drain(() => server.startClosing({ leavesAddress: true }));
      await Promise.all([closeServers(), upkeepStopped]);
      // An orderly stop promises that everything acknowledged is there at the next start.
      if (leftBehind === null) await store.ping();
      hostChecks?.stop();
      servingFile.close();
      await service.close();
      await flushTraces();
      log.info("service.stopped");
      if (leftBehind !== null && parent === null) process.stderr.write(`error: ${leftBehind.message}\n`);
    } catch (error) {
      log.error("service.stop_failed", {}, error);
      throw error;
    } finally {
      await openedLog.flush();
    }
    // The process exits with 1.
    if (leftBehind !== null) throw leftBehind;
  };
  // The log says why a reload failed.
  const reload = async () => {
    await reloadConfiguration(service.manageServices, { kind: "service", id: "SIGHUP" }).then(onReloaded, () => {});
  };
  // Before the address is printed: a supervisor waiting for it may send a signal at once.
  signals.handleBy({ stop, reload });

  const { providers } = config;
  const { models } = services.modelSet().catalog;
  const baseUrl = baseUrlOf(host, port);
  servingFile.open(() => {
    const { models: served } = services.modelSet().catalog;
    return {
      process: process.pid,
      base_url: baseUrl,
      serves: describeProviders(service.currentConfig().providers, served),
      models: served.map(presentModel),
    };
  });
  const firstModel = pickFirstModel(providers, models);
  const firstTry = first === null || firstModel === null ? null : { key: first.shown, model: firstModel.id };
  const urls = { baseUrl: service.manageServices.baseUrl(), manageUrl, hasApp: installation.app.has("index.html") };
  if (greets) greeting.write(greet(urls, describeProviders(providers, models), firstTry));
  openedLog.release();
  log.info("service.started", {
    ...describePlaces(config, { port, managePort }),
    models: models.length,
    process: process.pid,
  });
  parent?.started();
  hostChecks?.look(config);
  return { baseUrl, manageUrl, apiKey: first?.apiKey ?? null };
}

/** Where the service listens, for a line of the log. */
function describePlaces({ host, manageHost }: Config, { port, managePort }: Ports) {
  return { host, port, manage_host: manageHost, manage_port: managePort };
}

/** Does a step of the start, again while a database that nodes share is out of reach: it may be lost between two steps. */
async function untilReachable<T>({ services }: AssembledService, step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- attempts follow each other
      return await step();
    } catch (error) {
      if (services.nodes === null || !isOutOfReach(error)) throw error;
      services.log.warn("database.unreachable", {}, error);
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await pause(services.clock, STEP_AGAIN_MS);
  }
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof StoreError && error.kind === "unavailable" && !(error instanceof LaterSchema);
}

/** Creates the first organization and shows its key and its owner's sign-in link at once; null on a later start, which prints how to create a key. */
async function greetWithKeys(
  config: Config,
  { services: { secrets, clock }, manageServices, ownStore: store }: AssembledService,
  { manageUrl, greeting }: { readonly manageUrl: string; readonly greeting: GreetingOutput },
): Promise<{ apiKey: string; shown: FirstKey } | null> {
  const { value: given = null, source: givenBy = null } = config.bootstrapApiKey ?? {};
  const apiKey = await bootstrap(store, secrets, { apiKey: given, nowSeconds: nowSeconds(clock) });
  if (apiKey === null) {
    greeting.write(greetLater(await lookAtKeys(store, secrets, given)));
    return null;
  }
  const shown = givenBy === null ? greeting.show("first-api-key", apiKey) : { givenBy };
  greeting.write(greetWithKey(shown));
  // A key from the environment usually means that a program starts the service, and nobody waits for a link.
  const link = givenBy === null ? await createFirstLink({ ...manageServices, store, manageOrigin: manageUrl }) : null;
  if (link !== null) greeting.write(greetWithLink(greeting.show("first-sign-in-link", link)));
  return { apiKey, shown };
}

async function exitAfterLoss({ flush }: OpenLog, { kind, message }: StoreError): Promise<never> {
  await flush();
  const why =
    kind === "gone"
      ? message
      : `A write to the database failed (${message}). The service stops, since no later write could be trusted.`;
  process.stderr.write(`error: ${why}\n`);
  process.exit(1);
}
