/** Portkey's gateway, the peer: TypeScript, translates for many providers, stores nothing. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Child, freePort, startChild } from "../process/child.ts";
import type { Stage } from "../row.ts";

const BENCH = join(import.meta.dirname, "..");
const PROGRAM = join(BENCH, "node_modules/@portkey-ai/gateway/build/start-server.js");
const NODE_24 = join(BENCH, "node_modules/node/bin/node");
const LOOPBACK = join(import.meta.dirname, "loopback.ts");

/** Installs the peers from the benchmark's own lockfile on first use. */
function installPeers(): void {
  if (existsSync(PROGRAM) && existsSync(NODE_24)) return;
  process.stderr.write("installing the peers (npm ci --prefix bench) ...\n");
  execFileSync("npm", ["ci", "--prefix", BENCH], { stdio: ["ignore", "ignore", "inherit"] });
}

/** The headers that route a request through Portkey to the fake provider. */
export function portkeyHeaders(providerPort: number): Readonly<Record<string, string>> {
  return {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `http://127.0.0.1:${providerPort}/v1`,
  };
}

/**
 * Portkey on the faster runtime: it is started on Node 24 and on ours, both are scored by `score` (which also warms
 * them up; higher is better), and the slower one is stopped.
 */
export async function startPortkey(stage: Stage, score: (portkey: Child) => Promise<number>): Promise<Child> {
  const contenders = [];
  for (const [runtime, node] of [
    ["Node 24", NODE_24],
    [`Node ${process.versions.node}`, process.execPath],
  ] as const) {
    const portkey = stage.keep(await startOn(runtime, node));
    contenders.push({ portkey, score: await score(portkey) });
  }
  const [winner, ...losers] = contenders.sort((a, b) => b.score - a.score);
  if (winner === undefined) throw new Error("no Portkey started");
  for (const loser of losers) await loser.portkey.stop();
  return winner.portkey;
}

async function startOn(runtime: string, node: string): Promise<Child> {
  installPeers();
  const port = await freePort();
  return startChild({
    name: `Portkey 1.15.2 on ${runtime}`,
    place: "gateway",
    node,
    arguments: ["--import", LOOPBACK, PROGRAM, `--port=${port}`, "--headless"],
    environment: { NODE_ENV: "production" },
    port,
    ready: { method: "GET", path: "/" },
  });
}
