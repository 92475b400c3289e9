/** P5: what the gateway adds to the time to the first delta when 32 turns come in the same moment. */
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

export const firstDelta: Row = {
  seconds: 2,
  figures: [
    {
      id: "P5",
      measure: "added time to the first delta, p50, 32 at once",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate"),
      limit: { firstLanding: 3, goal: 1.5 },
    },
    {
      id: "P5",
      measure: "the same ÷ Portkey's",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate"),
      other: (read) => added(read, "Portkey"),
      otherName: "Portkey",
      limit: { firstLanding: NOT_ASKED, goal: 1 / 15 },
    },
    {
      id: "P5",
      measure: "the same, of TRANS: what the machine allows",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "TRANS"),
    },
  ],
  start: async (_ids, stage) => {
    const turngate = stage.keep(await startTurngate(stage));
    const trans = stage.keep(await startTarget("TRANS", stage.providerPort));
    const headers = portkeyHeaders(stage.providerPort);
    const portkey = await startPortkey(stage, async ({ port }) => {
      const { first = 0 } = await waveSide("Portkey", port, chatTurn({ ...TURN, headers })).measure(1);
      return -first;
    });
    return {
      sides: [
        waveSide("direct", stage.providerPort, chatTurn(TURN)),
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
  // Waves with their pauses leave a gateway idle most of the time.
  return warmedBy(requestBytes(parts), gateway, waveSide(name, gateway.port, parts));
}

function waveSide(name: string, port: number, parts: RequestParts): Side {
  const request = requestBytes(parts);
  return { name, measure: (seconds) => waves({ port, together: TOGETHER, seconds, request, marker: DELTA_MARKER }) };
}

function added(read: Read, side: string): number {
  return read(side, "first") - read("direct", "first");
}
