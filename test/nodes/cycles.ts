// Kills and pauses nodes and restarts their database while clients create responses, each with an Idempotency-Key, and
// then checks that nothing was lost.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Chance, createChance } from "../crash/random.ts";
import type { OwnPostgresServer, PostgresServer } from "../store/postgres-server.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { findViolations } from "./violations.ts";
import { COMMIT, type PostgresProxy } from "../store/postgres-proxy.ts";
import { openPostgresStore } from "../store/postgres-databases.ts";

/** A node as a process of its own. */
export interface Victim {
  readonly child: ChildProcess;
  /** Its address with /v1. */
  readonly baseUrl: string;
  readonly ended: Promise<unknown>;
}

const FATES = ["kill", "pause", "restart the database", "lose commits"] as const;
type Fate = (typeof FATES)[number];

/** Nodes and their database. */
export interface Ground {
  /** Of this process where a cycle may restart it. */
  readonly server: PostgresServer | OwnPostgresServer;
  readonly database: string;
  readonly apiKey: string;
  /** How many times as fast as usual time passes on the nodes. */
  readonly speed: number;
  /** Starts one more. */
  start(): Promise<Victim>;
  /** The way of the nodes to their database, where a cycle may cut it. */
  readonly proxy?: Pick<PostgresProxy, "cutAfter">;
}

export interface Cycles {
  readonly cycles: number;
  readonly clients: number;
  readonly seed: number;
  /** What may happen in a cycle; one that stands there twice happens twice as often. */
  readonly fates: readonly Fate[];
  /** Cycles that go on at the same time, each among nodes of its own. */
  readonly lanes: 1 | 3;
  readonly report: (line: string) => void;
}

export interface Found {
  /** Responses whose end a client has received. */
  readonly acknowledged: number;
  readonly sentAgain: number;
  /** Acknowledged responses that failed because their node died. */
  readonly failed: number;
  /** How often each fate came. */
  readonly happened: Readonly<Record<Fate, number>>;
  /** Connections that were cut between COMMIT and its answer. */
  readonly lost: number;
  /** The slowest reply of a node that nothing had happened to, milliseconds. */
  readonly slowestMs: number;
  readonly violations: readonly string[];
}

const NODES = 3;
/** Longer than the others need to notice that a node is dead and to fail its responses. */
const SETTLED_MS = 22_000;
/** How long a client repeats one request, milliseconds of real time: starting a process takes it. */
const TRIES_MS = 90_000;
/** Pauses are shorter than a lease or longer. */
const [PAUSE_MS_LEAST, PAUSE_MS_MOST] = [5000, 16_000];

export async function runCycles(ground: Ground, settings: Cycles): Promise<Found> {
  const { server, database, apiKey, speed } = ground;
  const { cycles, clients, seed, fates, lanes, report } = settings;
  const chance = createChance(seed);
  const pass = (milliseconds: number) => sleep(milliseconds / speed);
  const nodes: Victim[] = await Promise.all(Array.from({ length: NODES }, ground.start));
  const violations: string[] = [];
  const ends = new Map<string, { readonly id: string; readonly status: string }>();
  const happened: Record<Fate, number> = { kill: 0, pause: 0, "restart the database": 0, "lose commits": 0 };
  let lost = 0;
  let slowestMs = 0;
  let sentAgain = 0;
  const load = { isOver: false };

  /** Nodes to which something happens. */
  const struck = new Set<Victim>();
  const post = async (name: string, waitMs: number): Promise<{ id: string; status: string } | null> => {
    const node = chance.pick(nodes);
    const startedMs = performance.now();
    const isWell = () => !struck.has(node);
    const wasWell = isWell();
    const reply = await fetch(`${node.baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "idempotency-key": name },
      body: JSON.stringify({ model: "simulated/echo", input: `/wait ${waitMs}\n${name}` }),
      signal: AbortSignal.timeout(Math.ceil(20_000 / speed)),
    });
    const json = (await reply.json()) as { id: string; status: string };
    if (wasWell && isWell()) slowestMs = Math.max(slowestMs, performance.now() - startedMs - waitMs);
    if (reply.status === 200 && json.status !== "in_progress" && json.status !== "queued") return json;
    return null;
  };
  const create = async (name: string, waitMs: number): Promise<void> => {
    for (const startedMs = performance.now(); performance.now() - startedMs < TRIES_MS; ) {
      const end = await post(name, waitMs).catch(() => null);
      if (end !== null) {
        ends.set(name, end);
        return;
      }
      sentAgain++;
      await sleep(chance.between(100, 300));
    }
    violations.push(`${name} got no response that has ended`);
  };
  const client = async (at: number): Promise<void> => {
    for (let count = 0; !load.isOver; count++) await create(`key-${at}-${count}`, (count % 5) * 600);
  };
  const running = Array.from({ length: clients }, (_, at) => client(at));

  const meet = async (fate: Fate, at: number, fortune: Chance): Promise<void> => {
    const node = nodes[at];
    if (node === undefined) return;
    happened[fate]++;
    switch (fate) {
      case "restart the database":
        await restartDatabase(server, fortune, pass);
        return;
      case "pause":
        struck.add(node);
        node.child.kill("SIGSTOP");
        await pass(fortune.between(PAUSE_MS_LEAST, PAUSE_MS_MOST));
        node.child.kill("SIGCONT");
        // What it was asked before is late.
        await pass(2000);
        struck.delete(node);
        return;
      case "lose commits":
        lost += await loseCommits(ground, fortune, pass);
        return;
      case "kill":
        node.child.kill("SIGKILL");
        await node.ended;
        nodes[at] = await ground.start();
        return;
    }
    fate satisfies never;
  };
  const runLane = async (lane: number): Promise<void> => {
    // Its own: what happens does not depend on how often the clients draw.
    const fortune = createChance(seed + lane);
    for (let cycle = lane; cycle < cycles; cycle += lanes) {
      await pass(fortune.between(1500, 3000));
      const fate = fortune.pick(fates);
      await meet(fate, lanes === 1 ? fortune.between(0, NODES - 1) : lane, fortune);
      report(`cycle ${cycle + 1}: ${fate}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
  load.isOver = true;
  await Promise.all(running);
  await pass(SETTLED_MS);

  // Every acknowledged response is stored with the status that its client received.
  for (const [name, { id, status }] of ends) {
    const reply = await fetch(`${chance.pick(nodes).baseUrl}/responses/${id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const json = (await reply.json()) as { status: string };
    if (reply.status !== 200 || json.status !== status)
      violations.push(`${name}: ${id} was ${status}, is ${json.status}`);
  }
  const store = await openPostgresStore({ location: server.url(database), clock: createSystemClock() });
  violations.push(...(await findViolations(store, (text) => server.query(database, text))));
  await store.close();
  for (const { child } of nodes) child.kill("SIGKILL");
  await Promise.all(nodes.map(({ ended }) => ended));
  const failed = [...ends.values()].filter(({ status }) => status === "failed").length;
  return { acknowledged: ends.size, sentAgain, failed, happened, lost, slowestMs, violations };
}

/** Cuts connections as they commit, one after the other, for some seconds. Returns how many. */
async function loseCommits(
  { proxy }: Ground,
  chance: Chance,
  pass: (milliseconds: number) => Promise<void>,
): Promise<number> {
  if (proxy === undefined) throw new Error("nothing can cut the way to the database");
  let lost = 0;
  for (let cuts = chance.between(20, 60); cuts > 0; cuts--) {
    proxy.cutAfter(COMMIT, () => lost++);
    await pass(chance.between(20, 120));
  }
  return lost;
}

async function restartDatabase(
  server: PostgresServer | OwnPostgresServer,
  chance: Chance,
  pass: (milliseconds: number) => Promise<void>,
): Promise<void> {
  if (!("stop" in server)) throw new Error("other test files use this server");
  await server.stop(chance.pick(["SIGINT", "SIGQUIT", "SIGKILL"]));
  await pass(chance.between(100, 4000));
  await server.start();
}
