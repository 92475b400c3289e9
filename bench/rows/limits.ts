/** LIMITS: the reference figures compared with each other, without Turngate. */
import { type Figure, type Row, WARM_SECONDS } from "../row.ts";
import { startTarget } from "../targets/target.ts";
import { loopSide, rateFigure } from "./loop-side.ts";
import { chatSide, responsesSide, type TurnLoad } from "./turn-side.ts";

const LOAD: TurnLoad = { model: "fake", isStream: false, clients: 32 };
const ID = "LIMITS";

export const limits: Row = {
  seconds: 2,
  figures: [
    rateFigure({ id: ID, measure: "PASS (nothing parsed), turns/s at 32 ÷ HELLO", ours: "PASS", other: "HELLO" }),
    rateFigure({ id: ID, measure: "TRANS (translates), turns/s at 32 ÷ PASS", ours: "TRANS", other: "PASS" }),
    rateFigure({ id: ID, measure: "STORING (and stores), turns/s at 32 ÷ TRANS", ours: "STORING", other: "TRANS" }),
    ...["HELLO", "PASS", "TRANS", "STORING"].map(cpuFigure),
  ],
  start: async (_ids, stage) => {
    const { providerPort } = stage;
    const hello = stage.keep(await startTarget("HELLO"));
    const pass = stage.keep(await startTarget("PASS", providerPort));
    const trans = stage.keep(await startTarget("TRANS", providerPort));
    const storing = stage.keep(await startTarget("STORING", providerPort));
    return {
      sides: [
        await loopSide("HELLO", hello, [{ method: "GET", path: "/" }]),
        await chatSide("PASS", pass, LOAD),
        await responsesSide("TRANS", trans, LOAD),
        await responsesSide("STORING", storing, LOAD),
      ],
      warmSeconds: WARM_SECONDS,
    };
  },
};

function cpuFigure(side: string): Figure {
  return {
    id: ID,
    measure: `CPU a request: ${side}`,
    unit: "µs",
    better: "lower",
    ours: (read) => read(side, "cpu"),
  };
}
