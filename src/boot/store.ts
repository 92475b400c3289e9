// Opens the configured store and migrates it to the schema of this version.
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import type { StoreTelemetry } from "../ports/telemetry.ts";
import { ENGINES } from "../store/engines.ts";
import type { OpenedStore } from "../store/store-engine.ts";
import type { Config } from "../config/config.ts";
import { OperatorError } from "../config/operator-error.ts";
import { describeForeignSecret, readRootSecret } from "../config/root-secret.ts";

/**
 * Opens the store: `exclusive` for a service, otherwise beside a service that may be running. Throws an OperatorError
 * when its keys were hashed with another root secret: every request would get a 401 with no hint of the cause.
 */
export async function openStore(
  config: Config,
  options: {
    readonly exclusive: boolean;
    readonly secrets: Pick<Secrets, "checkValue">;
    readonly clock: Clock;
    readonly telemetry?: StoreTelemetry | null;
  },
): Promise<OpenedStore> {
  const { exclusive, secrets, clock, telemetry = null } = options;
  const engine = await ENGINES[config.database.engine]();
  const opened = await engine.open({
    location: config.database.location,
    clock,
    exclusive,
    telemetry,
    idempotencyRetentionHours: config.limits.idempotency_retention_hours,
  });
  if (await opened.store.fitsSecret({ checkValue: secrets.checkValue })) return opened;
  await opened.store.close();
  throw new OperatorError(describeForeignSecret(config));
}

/** The root secret of the configured database; creates it for a new one. Throws an OperatorError when it is missing. */
export async function loadRootSecret(config: Config): Promise<string> {
  const { engine, location } = config.database;
  const { exists } = await ENGINES[engine]();
  return readRootSecret(config, !(await exists(location)));
}
