/** P8: the cost of a long history when the window sent to the model is the same. */
import { exchangeOk } from "../load/exchange.ts";
import type { RequestParts } from "../load/request.ts";
import { sequence } from "../load/sequence.ts";
import { RESPONSE_TEXT } from "../provider/script.ts";
import type { Figure, Row, Side } from "../row.ts";
import { SMALL_MODEL } from "../service/configuration.ts";
import { startTurngate, type Turngate } from "../service/turngate.ts";

/** Items of a long history, and responses of a chain of the same length: each turn adds a question and a reply. */
const LONG_ITEMS = 10_000;
const CHAIN_RESPONSES = LONG_ITEMS / 2;
const QUICK_SHARE = 0.1;
const ITEMS_A_CALL = 20;
/** Number of short histories, used in turn so that measuring hardly lengthens them. */
const SHORT_HISTORIES = 40;
/** Requests per measurement of a side. */
const REQUESTS = 120;
const PAGE_ITEMS = 5;
const QUESTION = "Which of the seven bridges did you cross on the way here, and at what time of the day? "
  .repeat(5)
  .slice(0, 400);

const LIMIT = { firstLanding: 1.5, goal: 1.1 };

export const history: Row = {
  seconds: 1,
  figures: [
    compare("turn at 10,000 items of history ÷ at 100", "turn at 10,000", "turn at 100"),
    compare("append at 10,000 items ÷ at 10", "append at 10,000", "append at 10"),
    compare("mid-list page at 10,000 items ÷ at 10", "page at 10,000", "page at 10"),
    compare("turn on a 5,000-response chain ÷ on a conversation of that size", "chain", "turn at 10,000"),
  ],
  start: async (_ids, stage) => {
    const turngate = stage.keep(await startTurngate(stage));
    const size = stage.isQuick ? LONG_ITEMS * QUICK_SHARE : LONG_ITEMS;
    const long = await buildConversation(turngate, size);
    const hundreds = await buildConversations(turngate, 100);
    const tens = await buildConversations(turngate, 10);
    const untouchedTen = await buildConversation(turngate, 10);
    const chainEnd = await buildChain(turngate, stage.isQuick ? CHAIN_RESPONSES * QUICK_SHARE : CHAIN_RESPONSES);

    const side = (name: string, next: (lastResponse: string) => RequestParts): Side => ({
      name,
      measure: () => sequence({ port: turngate.port, requests: REQUESTS, next }),
    });
    return {
      sides: [
        side(
          "turn at 100",
          cycle(hundreds, ({ id }) => turnParts(turngate, { conversation: id })),
        ),
        side("turn at 10,000", () => turnParts(turngate, { conversation: long.id })),
        side("chain", followChain(turngate, chainEnd)),
        side(
          "append at 10",
          cycle(tens, ({ id }) => appendParts(turngate, id, [question()])),
        ),
        side("append at 10,000", () => appendParts(turngate, long.id, [question()])),
        side("page at 10", () => pageParts(turngate, untouchedTen)),
        side("page at 10,000", () => pageParts(turngate, long)),
      ],
      warmSeconds: 1,
      notes: stage.isQuick ? [`P8: a quick run has ${size} items instead of ${LONG_ITEMS}`] : [],
    };
  },
};

interface Conversation {
  readonly id: string;
  /** An item in the middle of the list. */
  readonly middleItem: string;
}

function compare(measure: string, long: string, short: string): Figure {
  return {
    id: "P8",
    measure,
    unit: "ms",
    better: "lower",
    ours: (read) => read(long, "p50"),
    other: (read) => read(short, "p50"),
    otherName: short,
    limit: LIMIT,
  };
}

function question(): object {
  return { type: "message", role: "user", content: QUESTION };
}

function reply(): object {
  return { type: "message", role: "assistant", content: RESPONSE_TEXT };
}

async function buildConversations(turngate: Turngate, items: number): Promise<readonly Conversation[]> {
  const conversations: Conversation[] = [];
  while (conversations.length < SHORT_HISTORIES) conversations.push(await buildConversation(turngate, items));
  return conversations;
}

/** Creates a conversation with that many items, questions and replies alternating. */
async function buildConversation(turngate: Turngate, items: number): Promise<Conversation> {
  const created = await exchangeOk(turngate.port, {
    method: "POST",
    path: "/v1/conversations",
    headers: turngate.headers,
    body: {},
  });
  const id = readField(created, "id");
  let middleItem = "";
  for (let start = 0; start < items; start += ITEMS_A_CALL) {
    const count = Math.min(ITEMS_A_CALL, items - start);
    const added = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? question() : reply()));
    const list = await exchangeOk(turngate.port, appendParts(turngate, id, added));
    if (start <= items / 2) middleItem = readField(list, "first_id");
  }
  return { id, middleItem };
}

/** Creates a chain of that many responses and returns the id of the last. */
async function buildChain(turngate: Turngate, responses: number): Promise<string> {
  const next = followChain(turngate, null);
  let last = "";
  for (let index = 0; index < responses; index++) last = await exchangeOk(turngate.port, next(last));
  return readField(last, "id");
}

/** Each request continues the previous response; the first one `start`, or nothing. */
function followChain(turngate: Turngate, start: string | null): (lastResponse: string) => RequestParts {
  let end = start;
  return (lastResponse) => {
    if (lastResponse !== "") end = readField(lastResponse, "id");
    return turnParts(turngate, end === null ? {} : { previous_response_id: end });
  };
}

function turnParts(turngate: Turngate, place: object): RequestParts {
  const body = { model: SMALL_MODEL, truncation: "auto", input: QUESTION, ...place };
  return { method: "POST", path: "/v1/responses", headers: turngate.headers, body };
}

function appendParts(turngate: Turngate, id: string, items: readonly object[]): RequestParts {
  return { method: "POST", path: `/v1/conversations/${id}/items`, headers: turngate.headers, body: { items } };
}

function pageParts(turngate: Turngate, { id, middleItem }: Conversation): RequestParts {
  const path = `/v1/conversations/${id}/items?limit=${PAGE_ITEMS}&after=${middleItem}`;
  return { method: "GET", path, headers: turngate.headers };
}

/** Cycles through the values. */
function cycle<Value>(values: readonly Value[], parts: (value: Value) => RequestParts): () => RequestParts {
  let index = 0;
  return () => {
    const value = values[index++ % values.length];
    if (value === undefined) throw new Error("nothing to take in turn");
    return parts(value);
  };
}

function readField(json: string, field: "id" | "first_id"): string {
  const object = JSON.parse(json) as Partial<Record<typeof field, unknown>>;
  const value = object[field];
  if (typeof value !== "string") throw new Error(`no ${field} in ${json.slice(0, 200)}`);
  return value;
}
