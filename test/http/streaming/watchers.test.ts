// A stream watches its run only as long as a client reads it: a run without watchers builds no events.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../../../src/flows/run/run.ts";
import { LiveStream } from "../../support/live-stream.ts";
import { FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile();

/** A stream whose response runs until the test ends it, and the number of watchers of its run. */
async function watchedStream() {
  let watchers = 0;
  const { runs } = service.gateway;
  const add = runs.add.bind(runs);
  runs.add = (run: Run) => {
    const watch = run.watch.bind(run);
    run.watch = (watcher) => {
      watchers++;
      const stop = watch(watcher);
      return () => {
        watchers--;
        return stop();
      };
    };
    runs.add = add;
    add(run);
  };
  const { opened, open } = gate();
  service.provider.plays([[{ type: "text", text: "a" }], opened, FINISHED]);
  const stream = await LiveStream.open(service, {});
  await stream.sees("response.output_text.delta");
  assert.equal(watchers, 1);
  return { stream, open, watchers: () => watchers };
}

for (const [how, ends] of Object.entries<(stream: LiveStream) => unknown>({
  "whose client went": (stream) => stream.drop(),
  "at its ceiling": () => service.clock.advance(300_000),
})) {
  test(`a stream ${how} watches its run no more`, async () => {
    const { stream, open, watchers } = await watchedStream();
    await ends(stream);
    await until("nobody to watch it", () => watchers() === 0);
    open();
    const path = `/v1/responses/${stream.id}`;
    await until("the end", async () => (await service.request("GET", path)).json.status === "completed");
  });
}
