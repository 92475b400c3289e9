/** P1, P2, P14: turns run and stored per second, and the delay of the event loop meanwhile. */
import { type Metrics, type Row, type Side, WARM_SECONDS } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";
import { startTarget } from "../targets/target.ts";
import { portkeySide, responsesSide, type TurnLoad } from "./turn-side.ts";

const LOAD: TurnLoad = { model: "fake", isStream: false, clients: 256 };

export const turns: Row = {
  seconds: 3,
  figures: [
    {
      id: "P1",
      measure: "stored turns/s, 256 at once ÷ TRANS",
      unit: "/s",
      better: "higher",
      ours: (read) => read("turngate", "rate"),
      other: (read) => read("TRANS", "rate"),
      otherName: "TRANS",
      limit: { firstLanding: 0.2, goal: 0.34 },
    },
    {
      id: "P2",
      measure: "the same ÷ Portkey (which stores nothing)",
      unit: "/s",
      better: "higher",
      ours: (read) => read("turngate", "rate"),
      other: (read) => read("Portkey", "rate"),
      otherName: "Portkey",
      limit: { firstLanding: 2, goal: 3 },
    },
    {
      id: "P14",
      measure: "event-loop delay under saturation, p99",
      unit: "ms",
      better: "lower",
      ours: (read) => read("turngate", "delayP99"),
      limit: { firstLanding: 15, goal: 5 },
    },
    {
      id: "P14",
      measure: "the same, max",
      unit: "ms",
      better: "lower",
      ours: (read) => read("turngate", "delayMax"),
      limit: { firstLanding: 60, goal: 20 },
    },
  ],
  start: async (ids, stage) => {
    const turngate = stage.keep(await startTurngate({ ...stage, isObserved: true }));
    const ours = await responsesSide("turngate", turngate, LOAD, turngate.headers);
    const observed: Side = {
      name: ours.name,
      measure: async (seconds) => {
        await turngate.ask("reset");
        const load = await ours.measure(seconds);
        return { ...load, ...readDelay(await turngate.ask("read")) };
      },
    };
    const sides = [observed];
    const notes: string[] = [];
    if (ids.has("P1")) {
      sides.push(await responsesSide("TRANS", stage.keep(await startTarget("TRANS", stage.providerPort)), LOAD));
    }
    if (ids.has("P2")) {
      const { side, runtime } = await portkeySide(stage, LOAD);
      sides.push(side);
      notes.push(`P2: ${runtime}`);
    }
    return { sides, warmSeconds: WARM_SECONDS, notes };
  },
};

function readDelay(reply: unknown): Metrics {
  if (typeof reply !== "object" || reply === null || !("p99" in reply) || !("max" in reply)) {
    throw new Error("the observer in the service did not reply");
  }
  return { delayP99: Number(reply.p99), delayMax: Number(reply.max) };
}
