// Puts the service together, starts it and stops it.
import { buildManageOpenApi } from "../contract/manage/openapi.ts";
import { buildOpenApi } from "../contract/openapi.ts";
import { createGateway } from "../flows/gateway.ts";
import { serviceOf } from "../http/operations.ts";
import { createServer, type HttpServer } from "../http/server.ts";
import { createManageServer, type ManageServer } from "../manage/server.ts";
import { nowSeconds } from "../ports/clock.ts";
import type { World } from "../ports/world.ts";
import { createProviderRegistry, genAiNames } from "../providers/registry.ts";
import { createSystemClock } from "../system/clock.ts";
import { createSecrets } from "../system/hashing.ts";
import { createIds } from "../system/ids.ts";
import { jsonSchemas } from "../system/json-schemas.ts";
import { type LoadMeter, startLoadMeter } from "../system/load.ts";
import { type OpenLog, openLog } from "../system/log.ts";
import { createMetrics, type Metrics } from "../system/metrics/metrics.ts";
import { flushTraces, withTraces } from "../system/traces.ts";
import { bootstrap } from "./bootstrap.ts";
import { buildCatalog } from "./catalog.ts";
import { type Config, readConfig } from "./config.ts";
import { baseUrlOf, greet, greetWithKey, originOf } from "./greeting.ts";
import { OperatorError } from "./operator-error.ts";
import { createManageWorld } from "./manage-world.ts";
import { readRootSecret } from "./root-secret.ts";
import { stopOnSignals } from "./stop-on-signals.ts";
import { openStore } from "./store.ts";
import { watchStore } from "./watch-store.ts";

/** Time for the answers under way when the store is lost. */
const LAST_ANSWERS_MILLISECONDS = 200;

/** Starts the service of this environment; resolves when it listens. From then on signals stop it. */
export async function serve(): Promise<void> {
  const config = await readConfig();
  const openedLog = openLog(config.logLevel);
  exitOnBugs(openedLog);
  const world = await createWorld(config, openedLog);
  try {
    await start(config, world, openedLog);
  } catch (error) {
    // A start that failed leaves nothing running that would keep the process.
    await letGo(world);
    await openedLog.flush();
    throw error;
  }
}

/** Recovers, listens, heeds signals and says so. */
async function start(config: Config, world: ServedWorld, openedLog: OpenLog): Promise<void> {
  const { log, store, clock, ids, limits, telemetry } = world;
  const nowInSeconds = nowSeconds(clock);
  const firstKey = await bootstrap(store, world.secrets, { apiKey: config.bootstrapApiKey, nowSeconds: nowInSeconds });
  // Said before the service listens: should that fail, the key is known all the same.
  if (firstKey !== null) process.stdout.write(greetWithKey(firstKey));

  const gateway = createGateway(world);
  await gateway.recover();
  const service = serviceOf(gateway);
  const server = createServer({ service, limits, clock, ids, log, telemetry, openApi: buildOpenApi() });
  const { occupancy } = gateway;
  const metrics = world.metrics.page({ occupancy, limits, databasePath: config.databasePath });
  const manageServer = createManageServer({
    world: createManageWorld(config, world, readRootSecret(config)),
    isReady: service.isReady,
    metrics,
    ids,
    buildOpenApi: buildManageOpenApi,
  });
  const { host, manageHost } = config;
  const { port, managePort } = await listenOnBoth(config, server, manageServer);
  const stopHousekeeping = gateway.startHousekeeping();

  const stop = async (signal: string) => {
    log.info("service.stopping", { signal });
    try {
      const houseKept = stopHousekeeping();
      // It listens as long as it drains: new work hears 503 and /readyz says so, which a closed port could not tell from a crash.
      await gateway.drain();
      await Promise.all([server.close(), manageServer.close(), houseKept]);
      await letGo(world);
      await flushTraces();
      log.info("service.stopped");
    } catch (error) {
      log.error("service.stop_failed", {}, error);
      throw error;
    } finally {
      await openedLog.flush();
    }
  };
  // Before the address is told: whoever waits for it may send a signal at once.
  stopOnSignals(stop);

  const manageUrl = config.manageUrl ?? originOf(manageHost, managePort);
  process.stdout.write(greet(baseUrlOf(host, port), manageUrl, firstKey, world.catalog.models[0]?.id ?? null));
  openedLog.release();
  const addresses = { host, port, manage_host: manageHost, manage_port: managePort };
  log.info("service.started", { ...addresses, models: world.catalog.models.length, process: process.pid });
}

/** Listens on both ports or on none. */
async function listenOnBoth(
  config: Config,
  server: HttpServer,
  manageServer: ManageServer,
): Promise<{ port: number; managePort: number }> {
  const { host, port, manageHost, managePort } = config;
  const manage = await manageServer.listen({ host: manageHost, port: managePort }).catch((error: unknown) => {
    throw explainListen(error, { host: manageHost, port: managePort, variables: "MANAGE_HOST and MANAGE_PORT" });
  });
  try {
    return { port: (await server.listen({ host, port })).port, managePort: manage.port };
  } catch (error) {
    await manageServer.close();
    throw explainListen(error, { host, port, variables: "HOST and PORT" });
  }
}

/** An address that can't be listened on, in words for the operator. */
function explainListen(error: unknown, address: { host: string; port: number; variables: string }): unknown {
  const { host, port, variables } = address;
  const code = error instanceof Error && "code" in error ? error.code : null;
  const reason = {
    EADDRINUSE: "it is taken",
    EACCES: "it is not allowed",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "the name has no address",
    EAI_AGAIN: "the name's address could not be found",
  };
  if (typeof code !== "string" || !(code in reason)) return error;
  const words = reason[code as keyof typeof reason];
  return new OperatorError(`can't listen on port ${port} of ${host}: ${words}. Set ${variables}.`, { cause: error });
}

interface ServedWorld extends World {
  readonly load: LoadMeter;
  readonly metrics: Metrics;
}

async function letGo(world: ServedWorld): Promise<void> {
  world.load.stop();
  await world.providers.close();
  await world.store.close();
}

/** What the flows touch: the real implementation of every port. */
async function createWorld(config: Config, openedLog: OpenLog): Promise<ServedWorld> {
  const clock = createSystemClock();
  const ids = createIds();
  // What is configured is judged before anything is made.
  const catalog = await buildCatalog(config);
  // Before the store: it makes the data folder, and refuses a database whose secret is lost.
  const secrets = createSecrets(readRootSecret(config));
  const providers = createProviderRegistry(config.providers, { clock, ids });
  const metrics = createMetrics(clock);
  const log = metrics.countLines(openedLog.log);
  const telemetry = await withTraces(metrics.telemetry, genAiNames(config.providers));
  const opened = await openStore(config, { exclusive: true, secrets, telemetry: metrics.store });
  const store = watchStore(opened, (error) => {
    log.error("store.lost", {}, error);
    // Those who are waiting are told first.
    setTimeout(() => void exitInOrder(openedLog), LAST_ANSWERS_MILLISECONDS);
  });
  return {
    store,
    providers,
    catalog,
    clock,
    ids,
    secrets,
    jsonSchemas,
    log,
    load: startLoadMeter(clock),
    telemetry,
    metrics,
    limits: config.limits,
  };
}

async function exitInOrder({ flush }: OpenLog): Promise<never> {
  await flush();
  process.exit(1);
}

/** What nobody caught is a bug, and the state after it unknown: the process ends, and the next start settles what was running. */
function exitOnBugs(openedLog: OpenLog): void {
  const exit = (event: string) => (error: unknown) => {
    openedLog.log.error(event, {}, error);
    openedLog.flushSync();
    process.exit(1);
  };
  process.on("uncaughtException", exit("bug.uncaught_exception"));
  process.on("unhandledRejection", exit("bug.unhandled_rejection"));
}
