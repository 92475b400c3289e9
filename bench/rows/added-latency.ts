/** P6: the latency that the gateway adds to a turn at a steady 500 turns per second. */
import { openLoop } from "../load/open-loop.ts";
import { inspectResponse } from "../load/preflight.ts";
import { requestBytes, type RequestParts } from "../load/request.ts";
import { chatTurn, responsesTurn } from "../load/turn.ts";
import { warmedBy } from "../load/warm-up.ts";
import type { Child } from "../process/child.ts";
import { portkeyHeaders, startPortkey } from "../peers/portkey.ts";
import { NOT_ASKED, type Read, type Row, type Side, WARM_SECONDS } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";
import { startTarget } from "../targets/target.ts";

const RATE = 500;
const TURN = { model: "fake", isStream: false } as const;

export const addedLatency: Row = {
  seconds: 4,
  figures: [
    {
      id: "P6",
      measure: "added latency at 500 turns/s, open loop, p50 over direct",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate", "p50"),
      limit: { firstLanding: 2, goal: 1.2 },
    },
    {
      id: "P6",
      measure: "the same, p99 over direct",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate", "p99"),
      limit: { firstLanding: 15, goal: 5 },
    },
    {
      id: "P6",
      measure: "the same, p99 ÷ Portkey's",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "turngate", "p99"),
      other: (read) => added(read, "Portkey", "p99"),
      otherName: "Portkey",
      limit: { firstLanding: NOT_ASKED, goal: 1 / 5 },
    },
    {
      id: "P6",
      measure: "the same, p50 of TRANS: what the machine allows",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "TRANS", "p50"),
    },
    {
      id: "P6",
      measure: "the same, p50 of STORING: one commit a turn",
      unit: "ms",
      better: "lower",
      ours: (read) => added(read, "STORING", "p50"),
    },
  ],
  start: async (_ids, stage) => {
    const turngate = stage.keep(await startTurngate(stage));
    const trans = stage.keep(await startTarget("TRANS", stage.providerPort));
    const storing = stage.keep(await startTarget("STORING", stage.providerPort));
    const headers = portkeyHeaders(stage.providerPort);
    const viaPortkey = chatTurn({ ...TURN, headers });
    const portkey = await startPortkey(stage, async ({ port }) => {
      const { p99 = 0 } = await (await openSide("Portkey", port, viaPortkey)).measure(2);
      return -p99;
    });
    return {
      sides: [
        await openSide("direct", stage.providerPort, chatTurn(TURN)),
        await gatewaySide("turngate", turngate, responsesTurn({ ...TURN, headers: turngate.headers })),
        await gatewaySide("TRANS", trans, responsesTurn(TURN)),
        await gatewaySide("STORING", storing, responsesTurn(TURN)),
        await gatewaySide("Portkey", portkey, viaPortkey),
      ],
      warmSeconds: WARM_SECONDS,
      notes: [`P6: ${portkey.name}`],
    };
  },
};

async function gatewaySide(name: string, gateway: Child, parts: RequestParts): Promise<Side> {
  // At a fraction of its capacity, a gateway would take minutes to warm up.
  return warmedBy(requestBytes(parts), gateway, await openSide(name, gateway.port, parts));
}

async function openSide(name: string, port: number, parts: RequestParts): Promise<Side> {
  const bytesMin = await inspectResponse(port, parts);
  const request = requestBytes(parts);
  return { name, measure: (seconds) => openLoop({ port, rate: RATE, seconds, request, bytesMin, seed: RATE }) };
}

function added(read: Read, side: string, metric: string): number {
  return read(side, metric) - read("direct", metric);
}
