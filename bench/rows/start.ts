/** P15: the start time of the service on a fresh store, and its idle memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { residentBytes } from "../process/cpu.ts";
import type { Row } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";

const REST_MILLISECONDS = 2000;
const MEGABYTE = 1024 * 1024;

export const start: Row = {
  seconds: 0,
  figures: [
    {
      id: "P15",
      measure: "start (installed) to the first 200",
      unit: "s",
      better: "lower",
      ours: (read) => read("turngate", "seconds"),
      limit: { firstLanding: 1.5, goal: 0.35 },
    },
    {
      id: "P15",
      measure: "memory at rest",
      unit: "MB",
      better: "lower",
      ours: (read) => read("turngate", "megabytes"),
      limit: { firstLanding: 150, goal: 110 },
    },
  ],
  start: (_ids, stage) =>
    Promise.resolve({
      sides: [
        {
          name: "turngate",
          measure: async () => {
            const turngate = stage.keep(await startTurngate(stage));
            await sleep(REST_MILLISECONDS);
            const megabytes = residentBytes(turngate.pid) / MEGABYTE;
            await turngate.stop();
            return { seconds: turngate.startMilliseconds / 1000, megabytes };
          },
        },
      ],
      warmSeconds: 0,
    }),
};
