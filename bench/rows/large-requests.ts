/** P16, P17: how one request of the largest size, in any shape, and many of them at once affect all other requests. */
import { setTimeout as sleep } from "node:timers/promises";
import { hostileShapes, LARGEST_BYTES } from "../load/hostile-bodies.ts";
import { postBytes } from "../load/post-bytes.ts";
import { watchSilence } from "../load/silence.ts";
import { residentBytes } from "../process/cpu.ts";
import { NOT_ASKED, type Row, type Side, type Stage } from "../row.ts";
import { startTurngate } from "../service/turngate.ts";

const MODEL = "bench/fake";
const AT_ONCE = 64;
const MEGABYTE = 1024 * 1024;
/** Earlier requests have settled, and their garbage is collected. */
const REST_MS = 200;
const MEMORY_LOOK_MS = 20;

export const largeRequests: Row = {
  seconds: 0,
  figures: [
    {
      id: "P16",
      measure: "longest silence of `/healthz` beside one request of 32 MiB, any shape",
      unit: "s",
      better: "lower",
      ours: (read) => read("one request", "seconds"),
      limit: { firstLanding: NOT_ASKED, goal: 0.25 },
    },
    {
      id: "P17",
      measure: "RSS while 64 requests of 32 MiB come at once",
      unit: "MB",
      better: "lower",
      ours: (read) => read("many requests", "megabytes"),
      limit: { firstLanding: NOT_ASKED, goal: 1024 },
    },
    {
      id: "P17",
      measure: "of those, answered neither 200 nor 503",
      unit: "",
      better: "lower",
      ours: (read) => read("many requests", "astray"),
      limit: { firstLanding: 0, goal: 0 },
    },
  ],
  start: (ids, stage) =>
    Promise.resolve({
      sides: [...(ids.has("P16") ? [oneRequest(stage)] : []), ...(ids.has("P17") ? [manyRequests(stage)] : [])],
      warmSeconds: 0,
    }),
};

/** Each shape alone, streamed and not. */
function oneRequest(stage: Stage): Side {
  return {
    name: "one request",
    measure: async () => {
      const turngate = stage.keep(await startTurngate({ ...stage, hasDefaultAdmission: true, isFree: true }));
      const watch = await watchSilence(turngate.port);
      let longest = 0;
      for (const { make } of hostileShapes(MODEL)) {
        for (const headers of [turngate.headers, { ...turngate.headers, "idempotency-key": String(longest) }]) {
          const body = make();
          await sleep(REST_MS);
          await watch.longest();
          await postBytes(turngate.port, headers, body);
          await sleep(REST_MS);
          longest = Math.max(longest, await watch.longest());
        }
      }
      await watch.stop();
      await turngate.stop(true);
      return { seconds: longest / 1000 };
    },
  };
}

/** The shapes that keep most memory, all at once. */
function manyRequests(stage: Stage): Side {
  return {
    name: "many requests",
    measure: async () => {
      let most = 0;
      let astray = 0;
      for (const shape of ["unread: objects of one key", "served: one description of code points", "rejected: items"]) {
        const turngate = stage.keep(await startTurngate({ ...stage, hasDefaultAdmission: true, isFree: true }));
        const body = hostileShapes(MODEL)
          .find((one) => one.shape === shape)
          ?.make();
        if (body === undefined || body.length > LARGEST_BYTES) throw new Error(`there is no shape ${shape}`);
        const look = setInterval(() => {
          most = Math.max(most, residentBytes(turngate.pid));
        }, MEMORY_LOOK_MS);
        const sent = Array.from({ length: AT_ONCE }, () => postBytes(turngate.port, turngate.headers, body));
        const isExpected = (status: number): boolean =>
          status === 503 || status === (shape.startsWith("rejected") ? 413 : 200);
        astray += (await Promise.all(sent)).filter((status) => !isExpected(status)).length;
        clearInterval(look);
        await turngate.stop(true);
      }
      return { megabytes: most / MEGABYTE, astray };
    },
  };
}
