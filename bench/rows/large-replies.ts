/** P16, P17: how long replies affect all other requests, read and unread. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { exchangeOk } from "../load/exchange.ts";
import { getStatus } from "../load/get-status.ts";
import { watchSilence } from "../load/silence.ts";
import { residentBytes } from "../process/cpu.ts";
import { NOT_ASKED, type Row, type Side, type Stage } from "../row.ts";
import { startTurngate, type Turngate } from "../service/turngate.ts";

const READ_AT_ONCE = 100;
const UNREAD_AT_ONCE = 400;
const MEGABYTE = 1024 * 1024;
/** The set-up has settled, and its garbage is collected. */
const REST_MS = 500;
/** Unread replies have filled what they can. */
const UNREAD_SECONDS = 10;
const MEMORY_LOOK_MS = 20;

export const largeReplies: Row = {
  seconds: 0,
  figures: [
    {
      id: "P16",
      measure: "longest silence of `/healthz` beside 100 long replies that are read, any shape",
      unit: "s",
      better: "lower",
      ours: (read) => read("read replies", "seconds"),
      limit: { firstLanding: NOT_ASKED, goal: 0.25 },
    },
    {
      id: "P17",
      measure: "RSS while 400 long replies are not read",
      unit: "MB",
      better: "lower",
      ours: (read) => read("unread replies", "megabytes"),
      limit: { firstLanding: NOT_ASKED, goal: 1024 },
    },
  ],
  start: (ids, stage) =>
    Promise.resolve({
      sides: [...(ids.has("P16") ? [readReplies(stage)] : []), ...(ids.has("P17") ? [unreadReplies(stage)] : [])],
      warmSeconds: 0,
    }),
};

/** Each shape alone, on a service that has just started. */
function readReplies(stage: Stage): Side {
  return {
    name: "read replies",
    measure: async () => {
      let longest = 0;
      for (const store of Object.values(SHAPES)) {
        const { turngate, path } = await prepare(stage, store);
        const watch = await watchSilence(turngate.port);
        await sleep(REST_MS);
        await watch.longest();
        const read = () => getStatus(turngate.port, path, turngate.headers);
        const statuses = await Promise.all(Array.from({ length: READ_AT_ONCE }, read));
        longest = Math.max(longest, await watch.longest());
        if (!statuses.includes(200)) throw new Error(`no reply of ${path} was read: ${statuses.join()}`);
        await watch.stop();
        await turngate.stop(true);
      }
      return { seconds: longest / 1000 };
    },
  };
}

function unreadReplies(stage: Stage): Side {
  return {
    name: "unread replies",
    measure: async () => {
      let most = 0;
      for (const store of Object.values(SHAPES)) {
        const { turngate, path } = await prepare(stage, store);
        const look = setInterval(() => {
          most = Math.max(most, residentBytes(turngate.pid));
        }, MEMORY_LOOK_MS);
        const sockets = Array.from({ length: UNREAD_AT_ONCE }, () => leaveUnread(turngate, path));
        await sleep(UNREAD_SECONDS * 1000);
        clearInterval(look);
        for (const socket of sockets) socket.destroy();
        await turngate.stop(true);
      }
      return { megabytes: most / MEGABYTE };
    },
  };
}

function leaveUnread({ port, headers }: Turngate, path: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).pause();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\n${lines.join("")}\r\n`);
  return socket;
}

/** Stores content of a shape; returns the path that replies with it. */
type StoreShape = (turngate: Turngate) => Promise<string>;

async function prepare(stage: Stage, store: StoreShape) {
  const turngate = stage.keep(await startTurngate({ ...stage, hasDefaultAdmission: true, isFree: true }));
  return { turngate, path: await store(turngate) };
}

const SHAPES: Readonly<Record<string, StoreShape>> = {
  "a response that repeats a tool of 15 MB": (turngate) => storeResponse(turngate, "d".repeat(15_000_000)),
  "a response that repeats a tool of 15 MB of escapes": (turngate) => storeResponse(turngate, '"\n'.repeat(3_750_000)),
  "an item of 15 MB": async (turngate) => {
    const [path, id] = await storeItems(turngate, 1, ["x".repeat(15_000_000)]);
    return `${path}/${id}`;
  },
  "a page of an item of 15 MB of code points": async (turngate) =>
    (await storeItems(turngate, 1, ["漢".repeat(5_000_000)]))[0],
  "pages of 500 items": async (turngate) => {
    const texts = Array.from({ length: 20 }, () => "x".repeat(4_000));
    return `${(await storeItems(turngate, 25, texts))[0]}?limit=500`;
  },
};

async function storeResponse({ port, headers }: Turngate, description: string): Promise<string> {
  const tools = [{ type: "function", name: "t", description }];
  const body = { model: "bench/fake", input: "Hi", tools };
  return `/v1/responses/${idOf(await exchangeOk(port, { method: "POST", path: "/v1/responses", headers, body }))}`;
}

/** Adds the texts as items, so many times; returns the path of the items and the id of the last first one. */
async function storeItems(
  { port, headers }: Turngate,
  times: number,
  texts: readonly string[],
): Promise<readonly [string, string]> {
  const path = `/v1/conversations/${idOf(await exchangeOk(port, { method: "POST", path: "/v1/conversations", headers, body: {} }))}/items`;
  const items = texts.map((content) => ({ role: "user", content }));
  let first = "";
  for (let added = 0; added < times; added++) {
    const list = await exchangeOk(port, { method: "POST", path, headers, body: { items } });
    first = String((JSON.parse(list) as { readonly first_id: unknown }).first_id);
  }
  return [path, first];
}

function idOf(json: string): string {
  return String((JSON.parse(json) as { readonly id: unknown }).id);
}
