// The crash test: the real service, recording clients, and one crash after another. After each, the service must have
// kept its promises (docs/reliability.md: I-01 to I-06, I-09 to I-13, I-24, I-26, I-43, I-45; fault F-01).
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHAT_WIRE } from "../support/fake-chat.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import {
  checkBooks,
  checkConversation,
  checkFiles,
  checkLedger,
  checkProviderCalls,
  checkResponses,
  countRunning,
} from "./checks.ts";
import { Client, type ClientWorld } from "./client.ts";
import { describeFault, drawFaults, type Fault } from "./faults.ts";
import { Memory } from "./memory.ts";
import { createChance } from "./random.ts";
import { findPort, mintKey, ServiceProcess } from "./service-process.ts";
import { Violations } from "./violations.ts";

interface CrashRunOptions {
  readonly cycles: number;
  readonly seed: number;
  readonly clients: number;
  /** The most milliseconds until a restart listens, with everything settled. */
  readonly startMsMax: number;
  /** After so many milliseconds a fault occurs even if its point was not reached. */
  readonly lateMs: number;
  /** Receives a line for each cycle. */
  report(line: string): void;
}

interface CrashFigures {
  readonly violations: readonly string[];
  /** How often each fault occurred; a point that was not reached in time counts as `late`. */
  readonly deaths: Readonly<Record<string, number>>;
  readonly intents: number;
  /** Requests sent again with their key because the reply did not end. */
  readonly repeats: number;
  readonly responses: number;
  /** Responses that a crash failed. */
  readonly runFailed: number;
  readonly providerCalls: number;
  /** Milliseconds until each restart listened, sorted. */
  readonly starts: readonly number[];
}

/** How long a killed process may take to exit after its connections have closed. */
const ENDING_MS = 30_000;
const MODEL = "local/echo";

/** Runs the cycles and a final check. Rejects only when the test itself cannot continue. */
export async function runCrashes(options: CrashRunOptions): Promise<CrashFigures> {
  const { seed, cycles, report } = options;
  const folder = await mkdtemp(join(tmpdir(), "turngate-crash-"));
  const provider = await FakeProvider.start(CHAT_WIRE);
  const violations = new Violations();
  const memory = new Memory(violations);
  const deaths: Record<string, number> = {};
  const starts: number[] = [];
  const [port, apiKey] = [await findPort(), await mintKey()];
  const chance = createChance(seed);
  const faults = drawFaults(chance);
  const services: ClientWorld = { baseUrl: `http://127.0.0.1:${port}`, apiKey, model: MODEL, memory, violations };
  const clients = Array.from(
    { length: options.clients },
    (_, index) => new Client(String(index), services, createChance(seed + 1 + index)),
  );
  const life = {
    folder,
    port,
    apiKey,
    services,
    clients,
    starts,
    startMsMax: options.startMsMax,
    lateMs: options.lateMs,
  };
  await writeFile(join(folder, "turngate.yaml"), configuration(provider.baseUrl));
  try {
    for (let cycle = 1; cycle <= cycles && violations.found.length === 0; cycle++) {
      const fault = faults.next().value;
      const death = await liveAndDie(life, fault);
      deaths[death] = (deaths[death] ?? 0) + 1;
      checkFiles(folder, violations);
      await checkBooks(folder, violations);
      const [intents, heard] = [countIntents(clients), memory.responses.size];
      report(`cycle ${cycle}: ${describeFault(fault)} → ${death}; ${intents} intents, ${heard} responses heard of`);
    }
    await liveToTheEnd(life, provider);
  } finally {
    await provider.close();
    if (violations.found.length === 0) await rm(folder, { recursive: true, force: true });
    else report(`the database is left in ${folder}`);
  }
  return {
    violations: violations.found,
    deaths,
    intents: countIntents(clients),
    repeats: clients.flatMap(({ log }) => log).reduce((sum, { sent }) => sum + Math.max(0, sent - 2), 0),
    responses: memory.responses.size,
    runFailed: memory.runFailed,
    providerCalls: provider.calls.length,
    starts: starts.toSorted((a, b) => a - b),
  };
}

interface Life {
  readonly folder: string;
  readonly port: number;
  readonly apiKey: string;
  readonly services: ClientWorld;
  readonly clients: readonly Client[];
  readonly starts: number[];
  readonly startMsMax: number;
  readonly lateMs: number;
}

/** One life of the service: start, check what was kept, work, die. Returns the cause of death. */
async function liveAndDie(life: Life, fault: Fault): Promise<string> {
  const crashAt = fault.kind === "point" ? `${fault.point}:${fault.nth}` : null;
  const service = new ServiceProcess(life, crashAt);
  let isOver = false;
  void service.ended.then(() => (isOver = true));
  let isLate = false;
  const kill = () => {
    isLate = fault.kind === "point";
    service.kill(fault.kind === "stop" ? "SIGTERM" : "SIGKILL");
  };
  if (fault.kind !== "early") await service.listening;
  const killing = setTimeout(kill, fault.kind === "point" ? life.lateMs : fault.afterMs);
  if (await hasComeBack(service, life, fault.kind === "stop")) {
    await Promise.all(life.clients.map((client) => client.live(() => !isOver)));
  }
  const { code, signal } = await service.ended;
  clearTimeout(killing);
  const { violations } = life.services;
  if (fault.kind === "stop") {
    violations.require(code === 0, "I-43", () => `SIGTERM ended in ${code ?? signal}: ${service.output}`);
    violations.require(countRunning(life.folder) === 0, "I-43", () => "turns were left running by an orderly stop");
    return "stop";
  }
  violations.require(
    signal === "SIGKILL",
    "I-35",
    () => `the service ended by itself, ${code ?? signal}: ${service.output}`,
  );
  if (isLate) return "late";
  return fault.kind === "point" ? fault.point : fault.kind;
}

/** Waits until the service listens and checks that it kept its promises; false when it died before. */
async function hasComeBack(service: ServiceProcess, life: Life, isStopping: boolean): Promise<boolean> {
  const { folder, services, starts, startMsMax } = life;
  const { memory, violations } = services;
  const startMs = await service.listening;
  if (startMs === null) return false;
  starts.push(startMs);
  violations.require(startMs <= startMsMax, "I-04", () => `a restart listened after ${Math.round(startMs)} ms only`);
  // No request has been made yet: a running response was left by the previous life.
  const running = countRunning(folder);
  violations.require(running === 0, "I-04", () => `${running} turns still run after a restart`);
  if (isStopping) return true;
  const unsettled = Array.from(memory.responses).filter(([, settled]) => settled === null);
  await checkResponsesUnlessGone(
    unsettled.map(([id]) => id),
    service,
    services,
  );
  return true;
}

async function checkResponsesUnlessGone(
  ids: readonly string[],
  service: ServiceProcess,
  services: ClientWorld,
): Promise<void> {
  let isOver = false;
  void service.ended.then(() => (isOver = true));
  for (const id of ids) {
    const before = services.violations.found.length;
    await checkResponses([id], services);
    // A service that died during the request has broken no promise; its connections close before its exit is known.
    if (services.violations.found.length > before) await Promise.race([service.ended, sleep(ENDING_MS)]);
    if (isOver) {
      services.violations.found.length = before;
      return;
    }
  }
}

/** The last life: every intent is finished, repeated, looked up and listed; then the service is stopped. */
async function liveToTheEnd(life: Life, provider: FakeProvider): Promise<void> {
  const { services, clients, folder } = life;
  const { violations, memory } = services;
  const service = new ServiceProcess(life, null);
  if (!(await hasComeBack(service, life, false))) throw new Error(`the service did not start: ${service.output}`);
  await Promise.all(clients.map((client) => client.live(() => false)));
  await checkResponses(memory.responses.keys(), services);
  await Promise.all(clients.map((client) => client.repeatAll()));
  await Promise.all(clients.map((client) => checkConversation(client, services)));
  checkProviderCalls(provider, violations);
  service.kill("SIGTERM");
  const { code, signal } = await service.ended;
  violations.require(code === 0, "I-43", () => `SIGTERM ended in ${code ?? signal}: ${service.output}`);
  violations.require(countRunning(folder) === 0, "I-43", () => "turns were left running by an orderly stop");
  checkLedger(folder, violations);
  checkFiles(folder, violations);
  await checkBooks(folder, violations);
}

function countIntents(clients: readonly Client[]): number {
  return clients.reduce((sum, { log }) => sum + log.length, 0);
}

function configuration(providerUrl: string): string {
  return [
    "providers:",
    `  local: { type: openai-compatible, base_url: "${providerUrl}" }`,
    "models:",
    `  - id: ${MODEL}`,
    "    provider: local",
    "    context_window: 10000000",
    "    prices: { input: 1, cached_input: 0.1, output: 5 }",
    "",
  ].join("\n");
}
