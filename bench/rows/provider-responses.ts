/** P16, P17: how one provider response, in any shape, and many that reason without end affect all other requests. */
import { setTimeout as sleep } from "node:timers/promises";
import { postBytes } from "../load/post-bytes.ts";
import { watchSilence } from "../load/silence.ts";
import { SHAPES } from "../provider/shapes/shapes.ts";
import { residentBytes } from "../process/cpu.ts";
import { NOT_ASKED, type Row, type Side, type Stage } from "../row.ts";
import { silenceYaml } from "../service/configuration.ts";
import { startTurngate } from "../service/turngate.ts";

/** Earlier responses have settled, and their garbage is collected. */
const REST_MS = 200;
/**
 * A service that was just blocked rejects requests for a moment, and drops a reader that this machine's busy cores keep
 * from reading. Each try has the same key, so that it waits for the run of the first and reads its stored response.
 */
const TRIES = 60;
/** The shapes of P17, one of each family. */
const ENDLESS_REASONING = Object.values(SHAPES)
  .flatMap((shapes) => Object.keys(shapes))
  .filter((name) => name.endsWith("-endless-reasoning"));
const REASONING_AT_ONCE = 12;
const OUTPUT_TOKENS = 4_000_000;
const MEGABYTE = 1024 * 1024;
const MEMORY_LOOK_MS = 20;

export const providerResponses: Row = {
  seconds: 0,
  figures: [
    {
      id: "P16",
      measure: "longest silence of `/healthz` beside one response of a provider, any shape",
      unit: "s",
      better: "lower",
      ours: (read) => read("one response", "seconds"),
      limit: { firstLanding: NOT_ASKED, goal: 0.25 },
    },
    {
      id: "P17",
      measure: `RSS while ${REASONING_AT_ONCE} turns reason without end, any family`,
      unit: "MB",
      better: "lower",
      ours: (read) => read("endless reasoning", "megabytes"),
      limit: { firstLanding: NOT_ASKED, goal: 1024 },
    },
  ],
  start: (ids, stage) =>
    Promise.resolve({
      sides: [...(ids.has("P16") ? [oneResponse(stage)] : []), ...(ids.has("P17") ? [endlessReasoning(stage)] : [])],
      warmSeconds: 0,
    }),
};

function oneResponse(stage: Stage): Side {
  return {
    name: "one response",
    measure: async () => {
      const turngate = await startWithShapes(stage);
      const watch = await watchSilence(turngate.port);
      let longest = 0;
      for (const name of Object.values(SHAPES).flatMap((shapes) => Object.keys(shapes))) {
        const body = Buffer.from(JSON.stringify({ model: `shapes/${name}`, input: "Hi", stream: true }));
        const headers = { ...turngate.headers, "idempotency-key": name };
        await sleep(REST_MS);
        await watch.longest();
        for (let tries = 0; tries < TRIES; tries++) {
          if ((await postBytes(turngate.port, headers, body)) === 200) break;
          await sleep(REST_MS);
        }
        longest = Math.max(longest, await watch.longest());
      }
      await watch.stop();
      await turngate.stop(true);
      return { seconds: longest / 1000 };
    },
  };
}

/** Each family alone, on a service that has just started. */
function endlessReasoning(stage: Stage): Side {
  return {
    name: "endless reasoning",
    measure: async () => {
      let most = 0;
      for (const name of ENDLESS_REASONING) {
        const turngate = await startWithShapes(stage);
        const look = setInterval(() => {
          most = Math.max(most, residentBytes(turngate.pid));
        }, MEMORY_LOOK_MS);
        const values = { model: `shapes/${name}`, input: "Hi", stream: true, max_output_tokens: OUTPUT_TOKENS };
        const body = Buffer.from(JSON.stringify(values));
        const post = () => postBytes(turngate.port, turngate.headers, body);
        const statuses = await Promise.all(Array.from({ length: REASONING_AT_ONCE }, post));
        clearInterval(look);
        if (!statuses.includes(200)) throw new Error(`no turn of ${name} ran: ${statuses.join()}`);
        await turngate.stop(true);
      }
      return { megabytes: most / MEGABYTE };
    },
  };
}

async function startWithShapes(stage: Stage) {
  return stage.keep(await startTurngate({ ...stage, configuration: silenceYaml(stage.providerPort) }));
}
