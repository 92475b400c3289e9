// The service on the simulated models, for tests that need no other provider.
import type { Clock } from "../../src/ports/clock.ts";
import { createProviderRegistry } from "../../src/providers/registry.ts";
import { SIMULATED_MODELS } from "../../src/providers/simulated/models.ts";
import { createSystemClock } from "../../src/system/clock.ts";
import { createIds } from "../../src/system/ids.ts";
import { HOST_SERVICES } from "../support/host-services.ts";
import { familyOf } from "../support/family-of.ts";
import { TestService } from "../support/service.ts";

export interface SimulatedService {
  readonly service: TestService;
  close(): Promise<void>;
}

/** Starts the service; its models run a hundred times as fast as documented. */
export async function startSimulated(): Promise<SimulatedService> {
  const entry = { name: "simulated", family: familyOf("simulated"), baseUrl: null, apiKey: null } as const;
  const providers = await createProviderRegistry([entry], { ...HOST_SERVICES, clock: hastyClock(), ids: createIds() });
  const service = await TestService.start({ providers, models: SIMULATED_MODELS });
  return {
    service,
    async close() {
      await service.close();
      await providers.close();
    },
  };
}

function hastyClock(): Clock {
  const clock = createSystemClock();
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    after: (milliseconds, callback) => clock.after(milliseconds / 100, callback),
  };
}
