// What an engine of the store is to the rest of the service: one descriptor in its folder, named in engines.ts.
import type { ConnectionSettings } from "../contract/connections.ts";
import type { Clock } from "../ports/clock.ts";
import type { NodeStore } from "../ports/store/nodes.ts";
import type { Store, StoreError } from "../ports/store/store.ts";
import type { StoreTelemetry } from "../ports/telemetry.ts";
import type { MigrationPlan, StopOthers } from "./engine/migrations.ts";

export interface OpenOptions {
  /** A file's path or a database's URL. */
  readonly location: string;
  readonly clock: Clock;
  /**
   * For a service: an engine for one process lets no second service open the database meanwhile. A command opens it
   * beside a service, not exclusively. Absent: not exclusively.
   */
  readonly exclusive?: boolean;
  /** How long an idempotency key is kept, hours; absent: the default. */
  readonly idempotencyRetentionHours?: number;
  /**
   * Called when the database is out of reach, with each reason: the store opens all the same, and waits for it. Without
   * the function `open` rejects.
   */
  readonly onUnreachable?: (reason: StoreError) => void;
  /** How an incompatible migration asks the other nodes to stop; without it `open` rejects while they serve. */
  readonly stopsOthers?: StopOthers | null;
  /** For an engine that connects to a server; absent: the defaults. */
  readonly connections?: ConnectionSettings;
  /** Receives measurements of the store's work. */
  readonly telemetry?: StoreTelemetry | null;
}

/** The parts of a database that `doctor` checks, in this order. */
export const CHECKED_PARTS = ["store", "schema", "disk", "clock"] as const;
export type CheckedPart = (typeof CHECKED_PARTS)[number];

export interface OpenedStore {
  readonly store: Store;
  /** The processes that share it; null: the engine serves one process. */
  readonly nodes: NodeStore | null;
  /** The store's clock, by which everything expires. */
  readonly clock: Clock;
  /**
   * Null: the store can be used. Else its database is out of reach: calls reject (`unavailable`) until this resolves.
   * It rejects with a StoreError when the database is there and cannot be used.
   */
  readonly reachable: Promise<void> | null;
}

export interface StoreEngine {
  /** Its name and version, as far as they are known without a database. */
  describeRuntime(): string;
  /**
   * Opens the store; creates a missing database and migrates it to the schema of this version. Rejects with a
   * StoreError whose message is for the operator.
   */
  open(options: OpenOptions): Promise<OpenedStore>;
  /** Whether there is a database. */
  exists(location: string): Promise<boolean>;
  /**
   * What `open` would migrate. Nothing is created or changed. Rejects with a StoreError as `open` does when the schema
   * cannot be used.
   */
  planMigration(location: string): Promise<MigrationPlan>;
  /** The check value of the root secret that the keys were hashed with; null when none is stored yet. */
  readSecretCheck(location: string): Promise<string | null>;
  /**
   * How many secrets of valid keys and valid tokens have a hash of another root secret than that of this check value. For
   * a database with the schema of this version.
   */
  countFormerHashes(location: string, checkValue: string): Promise<number>;
  /** Those of these ids and names that an organization has. For a database with the schema of this version. */
  findOrganizations(location: string, idsOrNames: readonly string[]): Promise<readonly string[]>;
  /**
   * Checks for `doctor`. Each resolves to a sentence about its part, or rejects when something is wrong; nothing is
   * created or changed. An engine omits the parts that it cannot check.
   */
  readonly checks: Readonly<Partial<Record<CheckedPart, (location: string) => Promise<string>>>>;
}
