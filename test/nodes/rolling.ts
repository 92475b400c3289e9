// Restarts three nodes one after the other behind a balancer, while clients create and read responses that they never
// repeat. docs/reliability.md, F-34
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openCommandLine } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../cli/service-process.ts";
import { databases } from "../store/postgres-databases.ts";

export interface Rolled {
  /** Requests that were answered. */
  readonly answered: number;
  readonly violations: readonly string[];
}

/** A balancer before the nodes, as a program of its own. */
export interface Balancer {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

const NODES = 3;
/** How long a turn of the first client takes: longer than the notice, so that each node serves it while it drains. */
const LONG_TURN_MS = 6000;
/** Of the balancer's checks: two that fail take a node out, as in deploy/compose/haproxy.cfg. */
const CHECK_MS = 500;
const CONFIGURATION = `
providers: { simulated: { type: simulated } }
limits: { drain_notice_seconds: 3, drain_seconds: 60 }
`;

/** A node as the balancer sees it. */
interface Backend {
  readonly process: ServiceProcess;
  failedChecks: number;
}

/**
 * Restarts the nodes one after the other behind the balancer that `balance` starts for the ports of the nodes, or else
 * behind one that works here.
 */
export async function runRolling(
  clients: number,
  report: (line: string) => void,
  balance?: (ports: readonly number[]) => Promise<Balancer>,
): Promise<Rolled> {
  const server = await databases.server();
  const line = openCommandLine();
  writeFileSync(join(line.folder, "turngate.yaml"), CONFIGURATION);
  const variables = {
    DATABASE_URL: server.url(await server.createDatabase()),
    TURNGATE_SECRET: "a secret of the nodes test, long enough",
    MANAGE_PORT: "0",
  };
  const ports = await freePorts(NODES);
  const start = async (at: number): Promise<Backend> => ({
    process: await startService(line, { ...variables, PORT: String(ports[at]) }),
    failedChecks: 0,
  });
  const first = await start(0);
  const key = first.process.firstKey ?? "";
  let backends = [first, ...(await Promise.all([1, 2].map(start)))];
  const balancer = await balance?.(ports);
  const violations: string[] = [];
  const state = { isOver: false, answered: 0, sent: 0 };

  const check = async (): Promise<void> => {
    while (!state.isOver) {
      await Promise.all(
        backends.map(async (backend) => {
          const { origin } = new URL(backend.process.baseUrl);
          const isReady = await fetch(`${origin}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          );
          backend.failedChecks = isReady ? 0 : backend.failedChecks + 1;
        }),
      );
      await sleep(CHECK_MS);
    }
  };
  /**
   * Sends a request once, to a node that the balancer takes for ready; another one gets it when that rejects the
   * connection.
   */
  const ask = async (method: string, path: string, body?: object): Promise<string> => {
    if (balancer !== undefined) return send(`${balancer.baseUrl}${path}`, method, key, body);
    for (;;) {
      const ready = backends.filter(({ failedChecks }) => failedChecks < 2);
      const backend = ready[state.sent++ % ready.length];
      if (backend === undefined) throw new Error("no node is ready");
      try {
        return await send(`${backend.process.baseUrl}${path}`, method, key, body);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") throw error;
      }
    }
  };
  const live = async (client: number): Promise<void> => {
    for (let count = 0; !state.isOver; count++) {
      const stream = count % 2 === 0;
      const input = `/wait ${client === 0 ? LONG_TURN_MS : (count % 4) * 400}\n${client}-${count}`;
      try {
        const text = await ask("POST", "/responses", { model: "simulated/echo", input, stream });
        const id = /"id":\s*"(resp_\w+)"/.exec(text)?.[1] ?? "";
        if (stream && !text.includes("event: response.completed"))
          throw new Error(`a stream ended early: ${text.slice(-300)}`);
        const read = JSON.parse(await ask("GET", `/responses/${id}`)) as { status: string };
        if (read.status !== "completed") throw new Error(`${id} is ${read.status}`);
        state.answered += 2;
      } catch (error) {
        violations.push(`${client}-${count}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  const running = Promise.all([check(), ...Array.from({ length: clients }, (_, client) => live(client))]);
  for (let at = 0; at < NODES; at++) {
    await sleep(2000);
    const leaving = backends[at];
    if (leaving === undefined) continue;
    leaving.process.child.kill("SIGTERM");
    const { code, stderr } = await leaving.process.ended;
    if (code !== 0) violations.push(`a node ended with ${code}: ${stderr}`);
    const joined = await start(at);
    backends = backends.with(at, joined);
    report(`restarted node ${at + 1} of ${NODES}`);
  }
  await sleep(2000);
  state.isOver = true;
  await running;
  await balancer?.stop();
  for (const { process } of backends) process.child.kill("SIGKILL");
  await Promise.all(backends.map(({ process }) => process.ended));
  line.remove();
  return { answered: state.answered, violations };
}

/** The text of a 200; rejects with any other status, or with the connection's error. */
function send(url: string, method: string, key: string, body?: object): Promise<string> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sentMs = performance.now();
    const sent = request(url, { method, agent: false, headers: { authorization: `Bearer ${key}` } }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.once("data", (chunk: Buffer) => {
        const isLate = performance.now() - sentMs > LONG_TURN_MS / 2;
        if (isLate && chunk.includes("event: ")) reject(new Error("a balancer kept the beginning of a stream"));
      });
      reply.on("error", reject);
      reply.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (reply.statusCode === 200) resolve(text);
        else reject(new Error(`${reply.statusCode} ${text}`));
      });
    });
    sent.on("error", reject);
    sent.end(payload);
  });
}

/** Ports of this machine that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
