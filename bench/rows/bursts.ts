/** P3, P4: deltas streamed per second when the provider sends them in bursts. */
import { DELTAS } from "../provider/script.ts";
import { type Read, type Row, WARM_SECONDS } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";
import { startTarget } from "../targets/target.ts";
import { portkeySide, responsesSide, type TurnLoad } from "./turn-side.ts";

const LOAD: TurnLoad = { model: "fake-burst", isStream: true, clients: 64 };

export const bursts: Row = {
  seconds: 3,
  figures: [
    {
      id: "P3",
      measure: "streamed deltas/s in bursts, stored, obfuscated ÷ TRANS with obfuscation",
      unit: "/s",
      better: "higher",
      ours: (read) => deltas(read, "turngate"),
      other: (read) => deltas(read, "TRANS"),
      otherName: "TRANS",
      limit: { firstLanding: 0.45, goal: 0.66 },
    },
    {
      id: "P4",
      measure: "the same ÷ Portkey",
      unit: "/s",
      better: "higher",
      ours: (read) => deltas(read, "turngate"),
      other: (read) => deltas(read, "Portkey"),
      otherName: "Portkey",
      limit: { firstLanding: 1.8, goal: 2.4 },
    },
  ],
  start: async (ids, stage) => {
    const turngate = stage.keep(await startTurngate(stage));
    const sides = [await responsesSide("turngate", turngate, LOAD, turngate.headers)];
    const notes: string[] = [];
    if (ids.has("P3")) {
      sides.push(await responsesSide("TRANS", stage.keep(await startTarget("TRANS", stage.providerPort)), LOAD));
    }
    if (ids.has("P4")) {
      const { side, runtime } = await portkeySide(stage, LOAD);
      sides.push(side);
      notes.push(`P4: ${runtime}`);
    }
    return { sides, warmSeconds: WARM_SECONDS, notes };
  },
};

function deltas(read: Read, side: string): number {
  return read(side, "rate") * DELTAS;
}
