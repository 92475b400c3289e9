/** The comparison targets of this repository, as processes of a run. */
import { join } from "node:path";
import { type Child, freePort, startChild } from "../process/child.ts";
import type { Place } from "../process/cores.ts";
import { freshPath } from "../process/work-directory.ts";

const PROGRAMS = {
  HELLO: "targets/hello.ts",
  PASS: "targets/pass.ts",
  TRANS: "targets/trans.ts",
  STORING: "targets/storing.ts",
  PROVIDER: "provider/main.ts",
} as const;

export type TargetName = keyof typeof PROGRAMS;

/** Starts a target; the fake provider shares the cores of the load. */
export async function startTarget(name: TargetName, providerPort = 0): Promise<Child> {
  const place: Place = name === "PROVIDER" ? "load" : "gateway";
  return startChild({
    name,
    place,
    arguments: [join(import.meta.dirname, "..", PROGRAMS[name])],
    environment: { PROVIDER: `http://127.0.0.1:${providerPort}`, STORE: freshPath(`${name}.db`) },
    port: await freePort(),
    ready: { method: "POST", path: "/v1/responses", body: { model: "bench/fake", input: "ready?" } },
  });
}
