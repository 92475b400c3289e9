/** P5: the time that the gateway adds to the first delta of 32 concurrent streams. */
import { closedLoop } from "../load/closed-loop.ts";
import { requestBytes, type RequestParts } from "../load/request.ts";
import { chatTurn, responsesTurn } from "../load/turn.ts";
import { warmedBy } from "../load/warm-up.ts";
import { waves } from "../load/waves.ts";
import { portkeyHeaders, startPortkey } from "../peers/portkey.ts";
import { DELTA_MARKER } from "../provider/script.ts";
import type { Child } from "../process/child.ts";
import { NOT_ASKED, type Read, type Row, type Side, WARM_SECONDS } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";
import { startTarget } from "../targets/target.ts";

const TOGETHER = 32;
const TURN = { model: "fake-paced", isStream: true } as const;

/**
 * `first`: 32 clients, each sending its next turn when the last has ended, as in P1. `firstInWave`: 32 turns sent at
 * the same moment.
 */
export const firstDelta: Row = {
  seconds: 4,
  figures: [
    {
      id: "P5",
      measure: "added time to the first delta, p50, 32 at once",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate", "first"),
      limit: { firstLanding: 3, goal: 1.8 },
    },
    {
      id: "P5",
      measure: "the same ÷ Portkey's",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate", "first"),
      other: (read) => added(read, "Portkey", "first"),
      otherName: "Portkey",
      limit: { firstLanding: NOT_ASKED, goal: 1 / 15 },
    },
    {
      id: "P5",
      measure: "the same, of TRANS: what the machine allows",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "TRANS", "first"),
    },
    {
      id: "P5",
      measure: "the same, of 32 that come in the same moment",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate", "firstInWave"),
      other: (read) => added(read, "TRANS", "firstInWave"),
      otherName: "TRANS",
    },
  ],
  start: async (_ids, stage) => {
    const turngate = stage.keep(await startTurngate(stage));
    const trans = stage.keep(await startTarget("TRANS", stage.providerPort));
    const headers = portkeyHeaders(stage.providerPort);
    const portkey = await startPortkey(stage, async ({ port }) => {
      const { first = 0 } = await streamsSide("Portkey", port, chatTurn({ ...TURN, headers })).measure(2);
      return -first;
    });
    return {
      sides: [
        streamsSide("direct", stage.providerPort, chatTurn(TURN)),
        gatewaySide("turngate", turngate, responsesTurn({ ...TURN, headers: turngate.headers })),
        gatewaySide("TRANS", trans, responsesTurn(TURN)),
        gatewaySide("Portkey", portkey, chatTurn({ ...TURN, headers })),
      ],
      warmSeconds: WARM_SECONDS,
      notes: [`P5: ${portkey.name}`],
    };
  },
};

function gatewaySide(name: string, gateway: Child, parts: RequestParts): Side {
  // Because of the pauses between deltas and waves, a gateway is idle much of the time.
  return warmedBy(requestBytes(parts), gateway, streamsSide(name, gateway.port, parts));
}

function streamsSide(name: string, port: number, parts: RequestParts): Side {
  const request = requestBytes(parts);
  const marker = DELTA_MARKER;
  return {
    name,
    measure: async (seconds) => {
      const half = seconds / 2;
      const { first = 0 } = await closedLoop({ port, clients: TOGETHER, seconds: half, requests: [request], marker });
      const wave = await waves({ port, together: TOGETHER, seconds: half, request, marker });
      return { first, firstInWave: wave["first"] ?? 0 };
    },
  };
}

function added(read: Read, side: string, metric: string): number {
  return read(side, metric) - read("direct", metric);
}
