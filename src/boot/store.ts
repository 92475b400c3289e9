// Opens the store that is configured, brought to the schema of this version.
import type { Secrets } from "../ports/secrets.ts";
import type { Store } from "../ports/store.ts";
import type { StoreTelemetry } from "../ports/telemetry.ts";
import { openSqliteStore } from "../store/sqlite/open.ts";
import { createSystemClock } from "../system/clock.ts";
import type { Config } from "./config.ts";
import { OperatorError } from "./operator-error.ts";
import { describeForeignSecret } from "./root-secret.ts";

/**
 * Opens the embedded store; `exclusive` for the one service on it, else beside a service that may be running. Throws an OperatorError
 * when its keys were hashed with another root secret: every one of them would be refused, without a word why.
 */
export async function openStore(
  config: Config,
  options: { exclusive: boolean; secrets: Pick<Secrets, "checkValue">; telemetry?: StoreTelemetry | null },
): Promise<Store> {
  const { exclusive, secrets, telemetry = null } = options;
  const store = await openSqliteStore({
    path: config.databasePath,
    clock: createSystemClock(),
    exclusive,
    telemetry,
    idempotencyRetentionHours: config.limits.idempotency_retention_hours,
  });
  if (await store.fitsSecret({ checkValue: secrets.checkValue })) return store;
  await store.close();
  throw new OperatorError(describeForeignSecret(config));
}
