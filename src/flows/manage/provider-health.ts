// How a configured provider does, as operators see it.
import { secondsOf } from "../../ports/clock.ts";
import type { ShownConfiguration } from "../../contract/manage/configuration.ts";
import type { ManageServices } from "./services.ts";

type ConfiguredProvider = ShownConfiguration["providers"][number];

/** Presents providers with what this process has observed of them. */
export function presentHealth({ offer, healthOf }: Pick<ManageServices, "offer" | "healthOf">) {
  const { catalog } = offer();
  return ({ name, type }: ConfiguredProvider) => {
    const { lastSuccessAtMs, lastFailure, calls, failures } = healthOf(name);
    return {
      name,
      type,
      models: catalog.models.filter(({ provider }) => provider === name).length,
      last_success_at: lastSuccessAtMs === null ? null : secondsOf(lastSuccessAtMs),
      last_failure:
        lastFailure === null
          ? null
          : {
              at: secondsOf(lastFailure.atMs),
              code: lastFailure.code,
              status: lastFailure.status,
              request_id: lastFailure.requestId,
            },
      recent: {
        calls,
        failures: failures.reduce((sum, { count }) => sum + count, 0),
        by_code: failures.map(({ code, count }) => ({ code, failures: count })),
      },
    };
  };
}
