// Causes every kind of event that is counted.
import { fails } from "../../support/scripted-provider.ts";
import { TEST_MODELS } from "../../support/service-config.ts";
import type { TestService } from "../../support/service.ts";
import { modelOfTargets, targetOf } from "../../support/targets.ts";

/** A response that completes, one that fails, a stream, rejected requests, and a log line. */
export async function exerciseEverything(service: TestService): Promise<void> {
  await service.create({ input: "hello" });
  await service.stream({ input: "hello" });
  service.provider.plays([fails("provider_client_error")]);
  await service.create({ input: "hello" });
  await service.create({ input: 5 });
}

/** The models of a service whose targets are exercised too. */
export const EXERCISED_MODELS = [...TEST_MODELS, modelOfTargets([targetOf("scripted")])];

/** A call of a target, and one that failed. */
export async function exerciseTargets(service: TestService): Promise<void> {
  const create = () => service.create({ model: "test/targets", input: "hello" });
  await create();
  service.provider.plays([fails("provider_client_error")]);
  await create();
}
