// Opens the store that is configured, brought to the schema of this version.
import type { Store } from "../ports/store.ts";
import type { StoreTelemetry } from "../ports/telemetry.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { createSystemClock } from "../system/clock.ts";
import type { Config } from "./config.ts";

/** Opens the embedded store; `exclusive` for the one service on it, else beside a service that may be running. */
export function openStore(
  config: Config,
  { exclusive, telemetry = null }: { exclusive: boolean; telemetry?: StoreTelemetry | null },
): Promise<Store> {
  return openSqliteStore({
    path: config.databasePath,
    clock: createSystemClock(),
    exclusive,
    telemetry,
    idempotencyRetentionHours: config.limits.idempotency_retention_hours,
  });
}
