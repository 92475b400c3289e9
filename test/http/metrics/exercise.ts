// Causes every kind of event that is counted.
import { fails } from "../../support/scripted-provider.ts";
import type { TestService } from "../../support/service.ts";

/** A response that completes, one that fails, a stream, rejected requests, and a log line. */
export async function exerciseEverything(service: TestService): Promise<void> {
  await service.create({ input: "hello" });
  await service.stream({ input: "hello" });
  service.provider.plays([fails("provider_client_error")]);
  await service.create({ input: "hello" });
  await service.create({ input: 5 });
}
