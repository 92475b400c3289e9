/** P13: the cost of a delta in the adapter of each provider family. */
import { FAMILIES, type Family } from "../families.ts";
import type { Figure, Row, Side } from "../row.ts";
import { streamerName, streamerSide } from "../streamers/streamer.ts";

export const adapters: Row = {
  seconds: 0.7,
  figures: FAMILIES.map(cpuFigure),
  start: async (_ids, stage) => {
    const sides: Side[] = [];
    for (const family of FAMILIES) {
      sides.push(await streamerSide(stage, family, "ADAPTER"), await streamerSide(stage, family, "RAW"));
    }
    return { sides, warmSeconds: 1 };
  },
};

function cpuFigure(family: Family): Figure {
  return {
    id: "P13",
    measure: `CPU a delta through the adapter, ${family} ÷ RAW`,
    unit: "µs",
    better: "lower",
    ours: (read) => read(streamerName(family, "ADAPTER"), "cpu"),
    other: (read) => read(streamerName(family, "RAW"), "cpu"),
    otherName: "RAW",
    limit: { firstLanding: 2, goal: 1 },
  };
}
