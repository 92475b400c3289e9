// Opens the configured store, migrates it to the schema of this version, and follows the rotation of its root secret.
import type { Config } from "../config/config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { describeForeignSecret, hasRootSecret, readRootSecrets, secretPathOf } from "../config/root-secret.ts";
import type { RootSecrets } from "../contract/root-secrets.ts";
import { repeat } from "../flows/repeat.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { Secrets } from "../ports/secrets.ts";
import { type Store, StoreError, type StoreUpkeep } from "../ports/store/store.ts";
import type { StoreTelemetry } from "../ports/telemetry.ts";
import { ENGINES } from "../store/engines.ts";
import type { StopOthers } from "../store/engine/migrations.ts";
import type { OpenedStore } from "../store/store-engine.ts";
import type { RootKeys } from "../system/root-keys.ts";

/** The new root secret is in use on all nodes after this long. */
const LOOK_EVERY_MS = 1000;

/**
 * Opens the store: `exclusive` for a service, otherwise beside a service that may be running. With `onUnreachable` it
 * opens without its database too. Hashes are made with the root secret that the
 * database has, the former one while its rotation has not begun. Throws an OperatorError, or rejects `reachable` with it, when its keys were hashed with
 * another root secret: every request would get a 401 with no hint of the cause.
 */
export async function openStore(
  config: Config,
  options: {
    readonly exclusive: boolean;
    readonly secrets: Pick<Secrets, "checkValues" | "settle">;
    readonly clock: Clock;
    readonly telemetry?: StoreTelemetry | null;
    readonly onUnreachable?: (reason: StoreError) => void;
    readonly stopsOthers?: StopOthers | null;
  },
): Promise<OpenedStore> {
  const { secrets, telemetry = null, ...others } = options;
  const engine = await ENGINES[config.database.engine]();
  const opened = await engine.open({
    location: config.database.location,
    ...others,
    telemetry,
    connections: config.connections,
    idempotencyRetentionHours: config.limits.idempotency_retention_hours,
  });
  const checkSecret = async (): Promise<void> => {
    for (const checkValue of secrets.checkValues) {
      // oxlint-disable-next-line no-await-in-loop -- the first that fits; a new database takes the current one
      if (await opened.store.fitsSecret({ checkValue })) return secrets.settle(checkValue);
    }
    await opened.store.close();
    throw new OperatorError(describeForeignSecret(config));
  };
  if (opened.reachable === null) await checkSecret();
  const reachable = opened.reachable?.then(checkSecret) ?? null;
  // Whoever starts the service gets the error; until then it must not count as unhandled.
  reachable?.catch(() => {});
  return { ...opened, reachable };
}

/**
 * The root secrets of the configured database; creates it for a new one. Throws an OperatorError when it is missing and
 * the database is not new, or is out of reach.
 */
export async function loadRootSecrets(config: Config): Promise<RootSecrets> {
  const { engine, location } = config.database;
  const { exists } = await ENGINES[engine]();
  // The database, which may be out of reach, is asked only whether a missing secret may be created.
  if (hasRootSecret(config)) return readRootSecrets(config, false);
  const isThere = await exists(location).catch((error: unknown) => {
    if (!(error instanceof StoreError) || error.kind !== "unavailable") throw error;
    throw new OperatorError(
      `${error.message} A service that waits for it needs a root secret, and there is no ${secretPathOf(config.database)}: set TURNGATE_SECRET.`,
      { cause: error },
    );
  });
  return readRootSecrets(config, !isThere);
}

/**
 * A process that knows two root secrets makes hashes with the new one as soon as `turngate secret rotate` has told the
 * database. Asks the store every second while the rotation has not begun, and not at all without a former root secret. The result
 * stops it and resolves when the store is no longer used.
 */
export function followRotation(
  keys: Pick<RootKeys, "checkValues" | "inUse" | "settle">,
  {
    store,
    clock,
    log,
  }: { store: Pick<StoreUpkeep, "fitsSecret">; clock: Pick<Clock, "after">; log: Pick<Log, "info"> },
): () => Promise<void> {
  const [checkValue = ""] = keys.checkValues;
  const isInUse = () => keys.inUse() === checkValue;
  if (isInUse()) return async () => {};
  return repeat(clock, {
    everyMs: LOOK_EVERY_MS,
    async work() {
      if (isInUse() || !(await store.fitsSecret({ checkValue }))) return;
      keys.settle(checkValue);
      log.info("root_secret.in_use");
    },
    // The next look is a second later; that the store is out of reach is said elsewhere.
    onError() {},
  });
}

export interface HeldStore {
  readonly store: Store;
  /** Lets calls through from now on. */
  release(): void;
}

/** The same store, whose calls reject (`unavailable`) until it is released. It can be closed meanwhile. */
export function holdStore(store: Store): HeldStore {
  let isHeld = true;
  const hold =
    (name: string, call: (argument: unknown) => Promise<unknown>) =>
    async (argument: unknown): Promise<unknown> => {
      if (isHeld && name !== "close") throw new StoreError("unavailable", "The service waits for its database.");
      return call(argument);
    };
  const held = Object.entries(store).map(([name, call]) => [name, hold(name, call)]);
  return {
    store: Object.fromEntries(held) as Store,
    release() {
      isHeld = false;
    },
  };
}
