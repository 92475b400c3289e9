/** P10: the cost of rejecting a request, and of replaying a response. */
import type { RequestParts } from "../load/request.ts";
import { responsesTurn } from "../load/turn.ts";
import { type Row, WARM_SECONDS } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";
import { startTarget } from "../targets/target.ts";
import { loopSide, rateFigure } from "./loop-side.ts";
import { storedResponse } from "./reads.ts";

const REFUSED = { firstLanding: 0.4, goal: 0.6 };
const UNKNOWN_PATH = "/v1/responses/resp_0000000000000000000000000000000000000000";

export const rejections: Row = {
  seconds: 1.5,
  figures: [
    rejection("400", "HELLO post"),
    rejection("401", "HELLO get"),
    rejection("404", "HELLO get"),
    rejection("429", "HELLO get"),
    rateFigure({
      id: "P10",
      measure: "idempotent replay ÷ retrieve",
      ours: "replay",
      other: "retrieve",
      limit: { firstLanding: 0.7, goal: 0.85 },
    }),
  ],
  start: async (_ids, stage) => {
    const turngate = stage.keep(await startTurngate(stage));
    const hello = stage.keep(await startTarget("HELLO"));
    const { headers, unknownHeaders } = turngate;
    const unknown: RequestParts = { method: "GET", path: UNKNOWN_PATH, headers };
    const invalid: RequestParts = {
      method: "POST",
      path: "/v1/responses",
      headers,
      body: { model: "bench/fake", input: "How are you?", background: true },
    };
    const replayed = responsesTurn({
      model: "fake",
      isStream: false,
      headers: { ...headers, "idempotency-key": "bench-replay" },
    });
    return {
      sides: [
        await loopSide("HELLO get", hello, [unknown]),
        await loopSide("HELLO post", hello, [invalid]),
        await loopSide("400", turngate, [invalid], { status: 400 }),
        await loopSide("401", turngate, [{ ...unknown, headers: unknownHeaders }], { status: 401 }),
        await loopSide("404", turngate, [unknown], { status: 404 }),
        // The configuration allows one delete per minute: occasionally one is granted and gets a 404.
        await loopSide("429", turngate, [{ ...unknown, method: "DELETE" }], { status: 429, tolerated: [404] }),
        await loopSide("retrieve", turngate, [await storedResponse(turngate)]),
        await loopSide("replay", turngate, [replayed]),
      ],
      warmSeconds: WARM_SECONDS,
    };
  },
};

function rejection(status: string, hello: string): Row["figures"][number] {
  return rateFigure({
    id: "P10",
    measure: `rejections: ${status} ÷ HELLO`,
    ours: status,
    other: hello,
    otherName: "HELLO",
    limit: REFUSED,
  });
}
