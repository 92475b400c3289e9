/** The two ways to read streams of a family or a host, each as a process on the core of the gateway. */
import { fileURLToPath } from "node:url";
import { baseUrlOf, type Family } from "../families.ts";
import { findHost, type HostName } from "../hosts.ts";
import { freePort, startChild } from "../process/child.ts";
import type { Metrics, Side, Stage } from "../row.ts";

const PROGRAMS = {
  ADAPTER: fileURLToPath(new URL("./adapter.ts", import.meta.url)),
  RAW: fileURLToPath(new URL("./raw.ts", import.meta.url)),
} as const;

type Way = keyof typeof PROGRAMS;
export type Wire = Family | HostName;

/** The name of the side of a wire. */
export function streamerName(wire: Wire, way: Way): string {
  return `${wire} ${way}`;
}

/** Starts a process that reads streams of a family or a host, as a side. */
export async function streamerSide(stage: Stage, wire: Wire, way: Way): Promise<Side> {
  const name = streamerName(wire, way);
  const isHosted = findHost(wire) !== undefined;
  const streamer = stage.keep(
    await startChild({
      name,
      place: "gateway",
      arguments: [PROGRAMS[way]],
      environment: {
        WIRE: wire,
        PROVIDER: isHosted ? `http://127.0.0.1:${stage.providerPort}` : baseUrlOf(wire as Family, stage.providerPort),
        AWS_ACCESS_KEY_ID: "AKIABENCH",
        AWS_SECRET_ACCESS_KEY: "secret",
      },
      port: await freePort(),
      ready: { method: "GET", path: "/" },
    }),
  );
  return { name, measure: async (seconds) => readMetrics(name, await streamer.ask(String(seconds))) };
}

function readMetrics(name: string, reply: unknown): Metrics {
  const { cpu, rate, busy, error } = Object(reply) as Readonly<Record<string, unknown>>;
  if (typeof cpu !== "number" || typeof rate !== "number" || typeof busy !== "number") {
    throw new Error(`${name}: ${String(error)}`);
  }
  return { cpu, rate, busy };
}
