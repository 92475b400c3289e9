/** P11: throughput and latency at twice the sustainable load. */
import { closedLoop } from "../load/closed-loop.ts";
import { openLoop } from "../load/open-loop.ts";
import { inspectResponse } from "../load/preflight.ts";
import { requestBytes } from "../load/request.ts";
import { responsesTurn } from "../load/turn.ts";
import { type Row, WARM_SECONDS } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";

const CLIENTS_AT_PEAK = 256;
/** Statuses of requests rejected for lack of capacity. */
const SHED = [503, 429];
const SEED = 11;

export const overload: Row = {
  seconds: 3,
  figures: [
    {
      id: "P11",
      measure: "overload at 2 × capacity, open loop: goodput ÷ peak",
      unit: "/s",
      better: "higher",
      ours: (read) => read("2 ×", "goodput"),
      other: (read) => read("peak", "rate"),
      otherName: "peak",
      limit: { firstLanding: 0.8, goal: 0.83 },
    },
    {
      id: "P11",
      measure: "the same: p99 of accepted ÷ p99 at 0.8",
      unit: "ms",
      better: "lower",
      ours: (read) => read("2 ×", "p99"),
      other: (read) => read("0.8 ×", "p99"),
      otherName: "at 0.8",
      limit: { firstLanding: 8, goal: 3 },
    },
    {
      id: "P11",
      measure: "the same: rejections sent within, p99",
      unit: "ms",
      better: "lower",
      ours: (read) => read("2 ×", "rejectionP99"),
      limit: { firstLanding: 50, goal: 10 },
    },
    {
      id: "P11",
      measure: "the same: rejected ÷ offered",
      unit: "/s",
      better: "higher",
      ours: (read) => read("2 ×", "rejected"),
      other: (read) => read("2 ×", "offered"),
      otherName: "offered",
    },
    {
      id: "P11",
      measure: "the same: neither accepted nor rejected (connections lost)",
      unit: "",
      better: "lower",
      ours: (read) => read("2 ×", "wrong"),
    },
  ],
  start: async (_ids, stage) => {
    const turngate = stage.keep(await startTurngate({ ...stage, hasDefaultAdmission: true }));
    const { port, pid, headers } = turngate;
    const parts = responsesTurn({ model: "fake", isStream: false, headers });
    const bytesMin = await inspectResponse(port, parts);
    const request = requestBytes(parts);
    // Each round uses the peak that it has measured itself.
    let peak = 0;
    const atShareOfPeak = (share: number, seconds: number): ReturnType<typeof openLoop> =>
      openLoop({ port, rate: peak * share, seconds, request, bytesMin, rejections: SHED, seed: SEED });
    return {
      sides: [
        {
          name: "peak",
          measure: async (seconds) => {
            const load = { port, pid, clients: CLIENTS_AT_PEAK, seconds, requests: [request], bytesMin };
            const metrics = await closedLoop({ ...load, tolerated: SHED });
            peak = metrics["rate"] ?? 0;
            return metrics;
          },
        },
        { name: "0.8 ×", measure: (seconds) => atShareOfPeak(0.8, seconds) },
        { name: "2 ×", measure: (seconds) => atShareOfPeak(2, seconds) },
      ],
      warmSeconds: WARM_SECONDS,
    };
  },
};
