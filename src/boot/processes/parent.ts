// `serve --processes N`: one process starts N others, each of them a node, on the same two ports. It watches, restarts
// and stops them, and serves nothing itself. docs/nodes.md, docs/decisions/processes.md
import { type Config, readConfig } from "../../config/config.ts";
import { describeDatabase } from "../../config/database-url.ts";
import { OperatorError } from "../../../packages/kit/operator-error.ts";
import { LISTENING_SOCKETS, type SharedSockets } from "../../server/shared/acceptors.ts";
import { createSystemClock } from "../../system/clock.ts";
import { openLog, openStdout } from "../../system/log.ts";
import { exitOnBugs } from "../fatal-errors.ts";
import { addressesOf, type Both, takeBoth } from "../listen-on-both.ts";
import type { Signals } from "../on-signals.ts";
import { bindSockets, type BoundSockets } from "./bind-sockets.ts";
import { type KeptProcess, keepProcess, OWN_DESCRIPTORS } from "./kept-process.ts";
import type { ToParent } from "./messages.ts";
import { createScrapes } from "./scrapes.ts";

/** How much longer than the drain limit a process may take to stop, seconds; after that it is ended. */
const STOP_MARGIN_SECONDS = 30;

/**
 * Runs the service as `count` processes. Resolves when the first of them serves; from then on signals stop all of them in
 * order. Ends this process, with the status of the first, if that one cannot start. Throws an OperatorError for a configuration
 * or a system that does not allow several processes.
 */
export async function serveWithProcesses(count: number, signals: Signals): Promise<void> {
  const config = await readConfig();
  assertPossible(config);
  const output = openStdout();
  const openedLog = openLog(config.logLevel, output);
  const { log } = openedLog;
  exitOnBugs(openedLog);
  const clock = createSystemClock();
  const sockets = await bindBoth(config);
  const processes: KeptProcess[] = [];
  const scrapes = createScrapes(processes, clock);
  // However this process ends, unless it is killed: then they notice that their channel to it is closed.
  process.on("exit", () => processes.forEach((each) => each.kill()));

  const { promise: firstServes, resolve: serveFirst } = Promise.withResolvers<void>();
  let hasFirst = false;
  let leftBehind: string | null = null;
  const heard = (message: ToParent, from: KeptProcess): void => {
    switch (message.kind) {
      case "started":
        hasFirst = true;
        serveFirst();
        break;
      case "reloaded":
        for (const other of processes) if (other !== from) other.tell({ kind: "reload" });
        break;
      case "page":
        scrapes.rendered(from.number, message.request, message.page);
        break;
      case "scrape":
        void scrapes.collect().then((page) => from.tell({ kind: "rendered", page }));
        break;
      case "left behind":
        leftBehind = message.reason;
        // Before the first of them serves, this process ends when that one does.
        if (hasFirst) signals.stop("later schema");
        break;
    }
  };
  const start = (number: number): KeptProcess =>
    keepProcess(number, {
      clock,
      log,
      descriptors: [...sockets.v1.descriptors, ...sockets.manage.descriptors],
      assign: () => ({ number, greets: !hasFirst, ...numberDescriptors(sockets) }),
      write: (lines) => output.write(lines),
      heard,
      mayRestart(status) {
        if (!hasFirst) void openedLog.flush().then(() => failStart(status, leftBehind));
        return hasFirst;
      },
    });
  const stop = async (signal: string): Promise<void> => {
    log.info("processes.stopping", { signal, processes: processes.length });
    // The last process to stop listening closes the ports: a connection that nobody will accept is refused, not kept waiting.
    for (const each of [sockets.v1, sockets.manage]) each.close();
    const { drain_notice_seconds: notice, drain_seconds: drain } = config.limits;
    const stopTimer = clock.after((notice + drain + STOP_MARGIN_SECONDS) * 1000, () => {
      for (const each of processes) each.kill();
    });
    const ends = await Promise.all(processes.map((each) => each.stop(signal)));
    stopTimer();
    log.info("processes.stopped", { processes: ends.length, failed: ends.filter((isGood) => !isGood).length });
    await openedLog.flush();
    if (leftBehind !== null) process.stderr.write(`error: ${leftBehind}\n`);
    if (!ends.every(Boolean)) throw new Error("a process could not stop in order");
  };
  const reload = async (): Promise<void> => {
    for (const each of processes) each.tell({ kind: "reload" });
  };
  signals.handleBy({ stop, reload });

  // The first creates the schema and the first key, and prints the greeting, before the others start.
  processes.push(start(1));
  await firstServes;
  openedLog.release();
  log.info("processes.started", { processes: count, process: process.pid });
  for (let number = 2; number <= count; number++) processes.push(start(number));
}

/** Throws an OperatorError when the configuration or the system has no use for several processes. */
function assertPossible({ database }: Config): void {
  if (database.engine !== "postgres")
    throw new OperatorError(
      `--processes needs PostgreSQL, since the embedded database ${describeDatabase(database)} serves one process: set DATABASE_URL to postgres://USER:PASSWORD@HOST:PORT/DATABASE (\`store copy\` moves the data there; docs/nodes.md).`,
    );
  if (process.platform === "win32")
    throw new OperatorError(
      "--processes needs sockets that processes share, which Windows has not: start several services on ports of their own behind a balancer (docs/nodes.md).",
    );
}

function bindBoth(config: Config): Promise<Both<BoundSockets>> {
  const addresses = addressesOf(config);
  return takeBoth(addresses, {
    v1: () => bindSockets(addresses.v1, LISTENING_SOCKETS),
    manage: () => bindSockets(addresses.manage, 1),
  });
}

/** The sockets as the process numbers them: those of /v1 first. */
function numberDescriptors({ v1, manage }: Both<BoundSockets>): Both<SharedSockets> {
  const numbered = (from: number, { descriptors }: BoundSockets) => ({
    descriptors: descriptors.map((_, index) => from + index),
  });
  return {
    v1: numbered(OWN_DESCRIPTORS, v1),
    manage: numbered(OWN_DESCRIPTORS + v1.descriptors.length, manage),
  };
}

/** The first process has said why on stderr, unless a signal has ended it or a later schema has left it behind. */
function failStart(status: number | NodeJS.Signals, leftBehind: string | null): never {
  if (leftBehind !== null) process.stderr.write(`error: ${leftBehind}\n`);
  if (typeof status === "string") process.stderr.write(`error: the first process was ended by ${status}.\n`);
  process.exit(status === 0 || typeof status === "string" ? 1 : status);
}
