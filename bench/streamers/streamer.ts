/** The two ways to read streams of a family, each as a process on the core of the gateway. */
import { fileURLToPath } from "node:url";
import { baseUrlOf, type Family } from "../families.ts";
import { freePort, startChild } from "../process/child.ts";
import type { Metrics, Side, Stage } from "../row.ts";

const PROGRAMS = {
  ADAPTER: fileURLToPath(new URL("./adapter.ts", import.meta.url)),
  RAW: fileURLToPath(new URL("./raw.ts", import.meta.url)),
} as const;

type Way = keyof typeof PROGRAMS;

/** The name of the side of a family. */
export function streamerName(family: Family, way: Way): string {
  return `${family} ${way}`;
}

/** Starts a process that reads streams of a family, as a side. */
export async function streamerSide(stage: Stage, family: Family, way: Way): Promise<Side> {
  const name = streamerName(family, way);
  const streamer = stage.keep(
    await startChild({
      name,
      place: "gateway",
      arguments: [PROGRAMS[way]],
      environment: { FAMILY: family, PROVIDER: baseUrlOf(family, stage.providerPort) },
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
