/** P13: the cost of a delta in the adapter of each provider family, and of each host of a family. */
import { FAMILIES } from "../families.ts";
import { HOST_NAMES, HOSTS, type HostName } from "../hosts.ts";
import type { Figure, Row, Side } from "../row.ts";
import { streamerName, streamerSide, type Wire } from "../streamers/streamer.ts";

export const adapters: Row = {
  seconds: 0.7,
  figures: [...FAMILIES, ...HOST_NAMES].map(cpuFigure),
  start: async (_ids, stage) => {
    const sides: Side[] = [];
    for (const wire of [...FAMILIES, ...HOST_NAMES]) {
      sides.push(await streamerSide(stage, wire, "ADAPTER"));
      if (rawOf(wire) === wire) sides.push(await streamerSide(stage, wire, "RAW"));
    }
    return { sides, warmSeconds: 1 };
  },
};

/** The hand-written client beside an adapter. Bedrock alone sends other bytes than its family's maker. */
function rawOf(wire: Wire): Wire {
  return wire === "bedrock" || !(wire in HOSTS) ? wire : HOSTS[wire as HostName].family;
}

function cpuFigure(wire: Wire): Figure {
  return {
    id: "P13",
    measure: `CPU a delta through the adapter, ${wire in HOSTS ? `on ${wire}` : wire} ÷ RAW`,
    unit: "µs",
    better: "lower",
    ours: (read) => read(streamerName(wire, "ADAPTER"), "cpu"),
    other: (read) => read(streamerName(rawOf(wire), "RAW"), "cpu"),
    otherName: "RAW",
    limit: { firstLanding: 2, goal: 1 },
  };
}
