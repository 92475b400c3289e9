/** P7: the memory of an open, idle stream. */
import { setTimeout as sleep } from "node:timers/promises";
import { closedLoop } from "../load/closed-loop.ts";
import { holdStreams } from "../load/held-streams.ts";
import { requestBytes } from "../load/request.ts";
import { responsesTurn } from "../load/turn.ts";
import { residentBytes } from "../process/cpu.ts";
import { DELTA_MARKER } from "../provider/script.ts";
import type { Row, Side, Stage } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";

const STREAMS = 5000;
/** Streams completed before the first memory reading, so that code and pools are loaded. */
const WARM = { clients: 64, seconds: 1.5 };
const SETTLE_MS = 3000;

export const idleStreams: Row = {
  seconds: 1,
  figures: [
    {
      id: "P7",
      measure: "RSS per open idle stream (5,000 opened)",
      unit: "KB",
      better: "lower",
      ours: (read) => read("turngate", "kilobytes"),
      limit: { firstLanding: 80, goal: 45 },
    },
    {
      id: "P7",
      measure: "streams rejected",
      unit: "",
      better: "lower",
      ours: (read) => read("turngate", "rejected"),
      limit: { firstLanding: 0, goal: 0 },
    },
  ],
  start: (_ids, stage) => Promise.resolve({ sides: [idleSide(stage)], warmSeconds: 0 }),
};

/** A fresh process each time: memory taken by an earlier round would count as free. */
function idleSide(stage: Stage): Side {
  return {
    name: "turngate",
    measure: async () => {
      const turngate = stage.keep(await startTurngate(stage));
      const { port, pid, headers } = turngate;
      const request = (model: "fake-burst" | "fake-idle"): Buffer =>
        requestBytes(responsesTurn({ model, isStream: true, headers }));
      await closedLoop({ port, pid, ...WARM, requests: [request("fake-burst")] });
      const before = residentBytes(pid);
      const held = await holdStreams({ port, streams: STREAMS, request: request("fake-idle"), marker: DELTA_MARKER });
      await sleep(SETTLE_MS);
      const after = residentBytes(pid);
      held.close();
      await turngate.stop(true);
      return { kilobytes: (after - before) / 1024 / held.opened, rejected: held.rejected };
    },
  };
}
