/** P9: the speed of reading stored objects. */
import { exchangeOk } from "../load/exchange.ts";
import type { RequestParts } from "../load/request.ts";
import { responsesTurn } from "../load/turn.ts";
import { type Row, WARM_SECONDS } from "../row.ts";
import { startTurngate, type Turngate } from "../service/turngate.ts";
import { startTarget } from "../targets/target.ts";
import { loopSide, rateFigure } from "./loop-side.ts";

/** Number of responses and conversations that are read in turn. */
const DIFFERENT = 64;
const PAGE_ITEMS = 20;

export const reads: Row = {
  seconds: 2,
  figures: [
    rateFigure({
      id: "P9",
      measure: "retrieve, requests/s ÷ HELLO",
      ours: "retrieve",
      other: "HELLO",
      limit: { firstLanding: 0.3, goal: 0.42 },
    }),
    rateFigure({
      id: "P9",
      measure: "page of 20 items, requests/s ÷ HELLO",
      ours: "page",
      other: "HELLO",
      limit: { firstLanding: 0.2, goal: 0.25 },
    }),
  ],
  start: async (_ids, stage) => {
    const turngate = stage.keep(await startTurngate(stage));
    const hello = stage.keep(await startTarget("HELLO"));
    const retrieves = await collect(() => storedResponse(turngate));
    const pages = await collect(() => storedPage(turngate));
    return {
      sides: [
        await loopSide("HELLO", hello, retrieves),
        await loopSide("retrieve", turngate, retrieves),
        await loopSide("page", turngate, pages),
      ],
      warmSeconds: WARM_SECONDS,
    };
  },
};

/** Runs a turn and returns the request that retrieves it. */
export async function storedResponse({ port, headers }: Turngate): Promise<RequestParts> {
  const created = await exchangeOk(port, responsesTurn({ model: "fake", isStream: false, headers }));
  return { method: "GET", path: `/v1/responses/${idOf(created)}`, headers };
}

/** Creates a conversation of more than one page and returns the request for its first page. */
async function storedPage({ port, headers }: Turngate): Promise<RequestParts> {
  const items = Array.from({ length: PAGE_ITEMS }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index} of a conversation, long enough to look like one that somebody wrote.`,
  }));
  const id = idOf(await exchangeOk(port, { method: "POST", path: "/v1/conversations", headers, body: { items } }));
  await exchangeOk(port, { method: "POST", path: `/v1/conversations/${id}/items`, headers, body: { items } });
  return { method: "GET", path: `/v1/conversations/${id}/items?limit=${PAGE_ITEMS}`, headers };
}

async function collect(make: () => Promise<RequestParts>): Promise<readonly RequestParts[]> {
  const made: RequestParts[] = [];
  while (made.length < DIFFERENT) made.push(await make());
  return made;
}

function idOf(json: string): string {
  return String((JSON.parse(json) as { readonly id: unknown }).id);
}
