/** P16: how one provider response, in any shape, affects all other requests. */
import { setTimeout as sleep } from "node:timers/promises";
import { postBytes } from "../load/post-bytes.ts";
import { watchSilence } from "../load/silence.ts";
import { SHAPES } from "../provider/shapes/shapes.ts";
import { NOT_ASKED, type Row } from "../row.ts";
import { silenceYaml } from "../service/configuration.ts";
import { startTurngate } from "../service/turngate.ts";

/** Earlier responses have settled, and their garbage is collected. */
const REST_MILLISECONDS = 200;
/**
 * A service that was just blocked rejects requests for a moment, and drops a reader that this machine's busy cores keep
 * from reading. Each try has the same key, so that it waits for the run of the first and reads its stored response.
 */
const TRIES = 60;

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
  ],
  start: (_ids, stage) =>
    Promise.resolve({
      sides: [
        {
          name: "one response",
          measure: async () => {
            const configuration = silenceYaml(stage.providerPort);
            const turngate = stage.keep(await startTurngate({ ...stage, configuration }));
            const watch = await watchSilence(turngate.port);
            let longest = 0;
            for (const name of Object.values(SHAPES).flatMap((shapes) => Object.keys(shapes))) {
              const body = Buffer.from(JSON.stringify({ model: `shapes/${name}`, input: "Hi", stream: true }));
              const headers = { ...turngate.headers, "idempotency-key": name };
              await sleep(REST_MILLISECONDS);
              await watch.longest();
              for (let tries = 0; tries < TRIES; tries++) {
                if ((await postBytes(turngate.port, headers, body)) === 200) break;
                await sleep(REST_MILLISECONDS);
              }
              longest = Math.max(longest, await watch.longest());
            }
            await watch.stop();
            await turngate.stop(true);
            return { seconds: longest / 1000 };
          },
        },
      ],
      warmSeconds: 0,
    }),
};
