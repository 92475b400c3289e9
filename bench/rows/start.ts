/** P15: the start time of the service on a fresh store, and its idle memory, from the npm package and from the clone. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildPackage } from "../../release/package.ts";
import { residentBytes } from "../process/cpu.ts";
import { freshPath } from "../process/work-directory.ts";
import type { Row, Side, Stage } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";

const REST_MS = 2000;
const MEGABYTE = 1024 * 1024;

export const start: Row = {
  seconds: 0,
  figures: [
    {
      id: "P15",
      measure: "start (installed) to the first 200",
      unit: "s",
      better: "lower",
      ours: (read) => read("package", "seconds"),
      limit: { firstLanding: 1.5, goal: 0.35 },
    },
    {
      id: "P15",
      measure: "the same, from a clone",
      unit: "s",
      better: "lower",
      ours: (read) => read("clone", "seconds"),
    },
    {
      id: "P15",
      measure: "memory at rest",
      unit: "MB",
      better: "lower",
      ours: (read) => read("package", "megabytes"),
      limit: { firstLanding: 150, goal: 110 },
    },
    {
      id: "P15",
      measure: "the same, from a clone",
      unit: "MB",
      better: "lower",
      ours: (read) => read("clone", "megabytes"),
    },
  ],
  start: async (_ids, stage) => {
    const folder = freshPath("package");
    await buildPackage(folder);
    return { sides: [side(stage, "package", join(folder, "package")), side(stage, "clone")], warmSeconds: 0 };
  },
};

function side(stage: Stage, name: string, root?: string): Side {
  return {
    name,
    measure: async () => {
      const turngate = stage.keep(await startTurngate({ ...stage, ...(root === undefined ? {} : { root }) }));
      await sleep(REST_MS);
      const megabytes = residentBytes(turngate.pid) / MEGABYTE;
      await turngate.stop();
      return { seconds: turngate.startMilliseconds / 1000, megabytes };
    },
  };
}
