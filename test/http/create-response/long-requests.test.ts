// A response whose request was long lets other requests in between its stages. docs/decisions/bodies.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { SMALL_BODY_BYTES } from "../../../src/core/reading/json-body.ts";
import type { Run } from "../../../src/flows/run/run.ts";
import type { ProviderCall } from "../../../src/ports/provider.ts";
import { FINISHED } from "../../support/scripted-provider.ts";
import { testModel } from "../../support/service-config.ts";
import { serviceForFile } from "../../support/service.ts";

/** Notes a stage of the response under test. */
let note: (stage: string) => void = () => {};

const service = await serviceForFile({
  models: [testModel("test/all", { contextWindow: 10_000_000 })],
  wrapStore: (store) => ({
    ...store,
    beginResponse(begin) {
      note("begin");
      return store.beginResponse(begin);
    },
  }),
});

/** The stages of a streamed turn, with "others" where the event loop turned between two of them. */
async function stagesOf(input: string): Promise<readonly string[]> {
  const stages: string[] = [];
  note = (stage) => {
    if (stages.includes(stage)) return;
    stages.push(stage);
    setImmediate(() => {
      if (stages.at(-1) === stage) stages.push("others");
    });
  };
  const { runs, admission } = service.gateway;
  const services = service.manageServices;
  const { during } = admission;
  admission.during = (owner, work) =>
    during(owner, () => {
      note("admitted");
      return work();
    });
  const { mint } = services.ids;
  Object.assign(services.ids, {
    mint(kind: "message") {
      note("planned");
      return mint(kind);
    },
  });
  const add = runs.add.bind(runs);
  runs.add = (run: Run) => {
    run.watch(({ type }) => note(type));
    add(run);
    runs.add = add;
  };
  service.provider.plays(function* (_call: ProviderCall) {
    note("call");
    yield FINISHED;
  });
  const { events } = await service.stream({ input });
  Object.assign(admission, { during });
  Object.assign(services.ids, { mint });
  assert.equal(events.at(-1)?.event, "response.completed");
  return stages.slice(0, stages.indexOf("call") + 1);
}

test("other requests run between the stages of a long request; a short one continues at once", async () => {
  // The store always takes a turn of the event loop.
  const begun = ["begin", "others", "response.created"];
  const long = [
    "admitted",
    "others",
    "planned",
    "others",
    ...begun,
    "others",
    "response.in_progress",
    "others",
    "call",
  ];
  assert.deepEqual(await stagesOf("x".repeat(SMALL_BODY_BYTES)), long);
  assert.deepEqual(await stagesOf("short"), ["admitted", "planned", ...begun, "response.in_progress", "call"]);
});
