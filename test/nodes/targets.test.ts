// Targets on three nodes that share a PostgreSQL. docs/fallbacks.md
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkTargets, openTargets } from "../laws/target-law.ts";
import { fails, says } from "../support/scripted-provider.ts";
import { modelOfTargets, scriptedProviders, targetOf } from "../support/targets.ts";
import { withCluster } from "./cluster.ts";

test("at most one target answers a turn, at its price, whichever nodes run the turns", {
  timeout: 110_000,
}, async () => {
  const targets = await openTargets();
  try {
    const { providers, models } = targets;
    await withCluster({ providers, models }, ({ nodes }) => checkTargets(nodes, targets, 12));
  } finally {
    await targets.close();
  }
});

test("a target rests on the node where it failed, and nowhere else", async () => {
  const { registry, of } = scriptedProviders("one", "two");
  const model = modelOfTargets([targetOf("one"), targetOf("two", { order: 2 })]);
  await withCluster({ providers: registry, models: [model] }, async ({ nodes: [a, b] }) => {
    const ask = async (node: typeof a) => (await node.create({ model: model.id, input: "Hi" })).json["svc:target"];
    const isDown = [fails("provider_unavailable", { certainlyNotRun: true })];
    for (let failures = 0; failures < 3; failures++) {
      of.one.plays(isDown);
      // oxlint-disable-next-line no-await-in-loop -- failures in a row
      assert.equal(await ask(a), "two/m");
    }
    of.one.plays(says("from one"));
    assert.equal(await ask(a), "two/m", "it rests here");
    assert.deepEqual(
      [a, b].map((node) => node.gateway.circuits.stateOf("one/m").state),
      ["open", "closed"],
    );
    assert.equal(await ask(b), "one/m", "the other node asks it");
  });
});
