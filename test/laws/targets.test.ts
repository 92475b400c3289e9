// The law of targets on one node. On three: test/nodes/targets.test.ts
import { after, test } from "node:test";
import { TestService } from "../support/service.ts";
import { checkTargets, openTargets } from "./target-law.ts";

test("at most one target answers a turn, at its price, whatever the others do", { timeout: 240_000 }, async () => {
  const targets = await openTargets();
  const { providers, models } = targets;
  const service = await TestService.start({ providers, models });
  after(async () => {
    await service.close();
    await targets.close();
  });
  await checkTargets([service], targets, 12);
});
