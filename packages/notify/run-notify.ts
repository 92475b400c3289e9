// Runs `turngate notify`: reads the feed of events and posts signed notices, until it is stopped. docs/notify.md
import { OperatorError } from "../kit/operator-error.ts";
import { hideCredentials } from "../kit/addresses.ts";
import { readNotifyFile } from "./notify-file.ts";
import { startDelivering } from "./deliver.ts";
import { openDeliveryLog } from "./delivery-log.ts";
import { createFeed } from "./feed.ts";
import type { NoticeEvent } from "./notice.ts";
import { createSend, type Send } from "./send.ts";
import { openState } from "./state.ts";
import { tryLock } from "../kit/lock.ts";
import { jsonOf, print, tableOf, type OutputOptions } from "../kit/output.ts";

export interface NotifyOptions extends OutputOptions {
  readonly config: string;
  readonly test?: boolean;
  /** The types of events that the feed has. */
  readonly eventTypes: readonly string[];
}

/** Delivers until SIGTERM or SIGINT; with `test` sends a test notice. Throws an OperatorError for what cannot work. */
export async function runNotify(options: NotifyOptions) {
  const config = readNotifyFile(options.config, process.env, options.eventTypes);
  const send = createSend(nowSeconds);
  const { targets } = config;
  if (options.test) return test(send, config, options);
  const unlock = lockState(config.stateFile);
  const services = {
    feed: createFeed(config),
    state: openState(config.stateFile),
    send,
    clock: { nowMs: Date.now, after },
    logDelivery: openDeliveryLog(config.deliveryLog, Date.now),
    warn: (message: string) => process.stderr.write(`warning: ${message}\n`),
    everyMs: config.everySeconds * 1000,
    giveUpAfterMs: config.giveUpAfterSeconds * 1000,
  };
  // A wrong token or address is an error of the start, and not a warning every ten seconds.
  await services.feed.newestId().catch((error: unknown) => {
    throw new OperatorError(error instanceof Error ? `${error.message}.` : "the feed cannot be read.", {
      cause: error,
    });
  });
  const stops = targets.map((target) => startDelivering(services, target));
  // Listens for signals before it says that it runs: whoever reads that may stop it at once.
  const stopped = untilStopped();
  print(`Notifies ${targets.map(({ name }) => name).join(", ")} of the events of ${config.manageUrl}.\n`);
  await stopped;
  await Promise.all(stops.map((stop) => stop()));
  unlock();
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function after(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
}

/** Two processes with one state would send every notice twice. The operating system unlocks it with the process. */
function lockState(path: string): () => void {
  let unlock: (() => void) | null;
  try {
    unlock = tryLock(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown error";
    throw new OperatorError(`${path}.lock can't be locked: ${reason}`, { cause: error });
  }
  if (unlock === null) throw new OperatorError(`another turngate notify is running with the state ${path}.`);
  return unlock;
}

/** Resolves at SIGTERM or SIGINT; a second one ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}

/** Reads the feed once, and sends a test notice to each target. */
async function test(send: Send, config: ReturnType<typeof readNotifyFile>, options: OutputOptions) {
  const event: NoticeEvent = {
    id: 0,
    organization: null,
    organization_name: null,
    at: nowSeconds(),
    type: "notice.test",
    message: "This is a test notice of turngate notify.",
  };
  const feed = problemOf(createFeed(config).newestId());
  const rows = await Promise.all(
    config.targets.map(async (target) => {
      const problem = await problemOf(send(target, event));
      return { target: target.name, type: target.to.type, ok: problem === null, problem };
    }),
  );
  const unread = await feed;
  const all = [
    { target: hideCredentials(config.manageUrl), type: "feed", ok: unread === null, problem: unread },
    ...rows,
  ];
  print(options.json ? jsonOf(all) : tableOf(all, ""));
  const missed = rows.filter(({ ok }) => !ok).map(({ target }) => target);
  const failures = [
    ...(unread === null ? [] : ["the feed of events cannot be read"]),
    ...(missed.length === 0 ? [] : [`the test notice did not reach ${missed.join(", ")}`]),
  ];
  if (failures.length > 0) throw new OperatorError(`${failures.join("; ")}.`);
}

/** The message of what fails; null: it succeeds. */
async function problemOf(trial: Promise<unknown>): Promise<string | null> {
  try {
    await trial;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown error";
  }
}
