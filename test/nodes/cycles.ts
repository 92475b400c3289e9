// Kills and pauses nodes and restarts their database while clients create turns, each with an Idempotency-Key, and then checks that nothing was lost.
import { setTimeout as sleep } from "node:timers/promises";
import { openCommandLine } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { createChance } from "../crash/random.ts";
import { databases } from "./databases.ts";

export interface Cycles {
  readonly cycles: number;
  readonly clients: number;
  readonly seed: number;
  readonly report: (line: string) => void;
}

export interface Found {
  /** Turns whose end a client has received. */
  readonly acknowledged: number;
  readonly sentAgain: number;
  /** Acknowledged turns that failed because their node died. */
  readonly failed: number;
  readonly violations: readonly string[];
}

const NODES = 3;
/** Longer than the others need to notice that a node is dead and to fail its turns. */
const SETTLED_MS = 22_000;
/** How long a client repeats one request. */
const TRIES_MS = 90_000;
const PAUSE_MS = 15_000;

export async function runCycles({ cycles, clients, seed, report }: Cycles): Promise<Found> {
  const chance = createChance(seed);
  const server = await databases.server();
  const database = await server.createDatabase();
  const line = openCommandLine();
  const variables = { DATABASE_URL: server.url(database), TURNGATE_SECRET: "a secret of the nodes test, long enough" };
  const start = () => startService(line, variables);
  const first = await start();
  const key = first.firstKey ?? "";
  const nodes: ServiceProcess[] = [first, ...(await Promise.all(Array.from({ length: NODES - 1 }, start)))];
  const violations: string[] = [];
  const ends = new Map<string, { readonly id: string; readonly status: string }>();
  let sentAgain = 0;
  const load = { isOver: false };

  const post = async (name: string, waitMs: number): Promise<{ id: string; status: string } | null> => {
    const reply = await fetch(`${chance.pick(nodes).baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "idempotency-key": name },
      body: JSON.stringify({ model: "simulated/echo", input: `/wait ${waitMs}\n${name}` }),
      signal: AbortSignal.timeout(20_000),
    });
    const json = (await reply.json()) as { id: string; status: string };
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
      await sleep(chance.between(200, 500));
    }
    violations.push(`${name} got no response that has ended`);
  };
  const client = async (at: number): Promise<void> => {
    for (let count = 0; !load.isOver; count++) await create(`key-${at}-${count}`, (count % 5) * 300);
  };
  const running = Array.from({ length: clients }, (_, at) => client(at));

  for (let cycle = 1; cycle <= cycles; cycle++) {
    await sleep(chance.between(1500, 3000));
    const at = chance.between(0, NODES - 1);
    const node = nodes[at];
    if (node === undefined) continue;
    const fate = chance.between(1, 5);
    if (fate === 1) {
      const signal = chance.pick(["SIGINT", "SIGQUIT", "SIGKILL"] as const);
      await server.stop(signal);
      await sleep(chance.between(100, 4000));
      await server.start();
      report(`cycle ${cycle}: restarted the database (${signal})`);
    } else if (fate === 2) {
      node.child.kill("SIGSTOP");
      await sleep(PAUSE_MS);
      node.child.kill("SIGCONT");
      report(`cycle ${cycle}: paused a node`);
    } else {
      node.child.kill("SIGKILL");
      await node.ended;
      nodes[at] = await start();
      report(`cycle ${cycle}: killed a node`);
    }
  }
  load.isOver = true;
  await Promise.all(running);
  await sleep(SETTLED_MS);

  // Every acknowledged turn is stored with the status that its client received.
  for (const [name, { id, status }] of ends) {
    const reply = await fetch(`${chance.pick(nodes).baseUrl}/responses/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const json = (await reply.json()) as { status: string };
    if (reply.status !== 200 || json.status !== status)
      violations.push(`${name}: ${id} was ${status}, is ${json.status}`);
  }
  const one = async (sql: string) => Number(Object.values((await server.query(database, sql))[0] ?? {})[0]);
  const stuck = await one("select count(*) from turngate.responses where completed_at is null");
  if (stuck > 0) violations.push(`${stuck} turns are still running`);
  const claims = await one("select count(*) from turngate.claims");
  const responses = await one("select count(*) from turngate.responses");
  if (claims !== responses) violations.push(`${responses} turns for ${claims} keys`);
  for (const words of [
    ["ledger", "check"],
    ["audit", "verify"],
  ]) {
    const { code, stdout, stderr } = await line.run(words, variables);
    if (code !== 0) violations.push(`${words.join(" ")}: ${stdout}${stderr}`);
  }
  for (const { child } of nodes) child.kill("SIGKILL");
  await Promise.all(nodes.map(({ ended }) => ended));
  line.remove();
  const failed = [...ends.values()].filter(({ status }) => status === "failed").length;
  return { acknowledged: ends.size, sentAgain, failed, violations };
}
