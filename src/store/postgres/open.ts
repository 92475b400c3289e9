// The store on PostgreSQL, which several nodes may share, behind the port. @spec what-the-service-does
import { randomInt } from "node:crypto";
import { type ConnectionSettings, DEFAULT_CONNECTIONS } from "../../contract/connections.ts";
import { IDEMPOTENCY_RETENTION_HOURS } from "../../contract/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NodeStore } from "../../ports/store/nodes.ts";
import { type Store, StoreError } from "../../ports/store/store.ts";
import type { StoreSide, StoreTelemetry } from "../../ports/telemetry.ts";
import { type ArgumentOf, OPERATIONS, type OperationName, type ResultOf } from "../operations.ts";
import type { Operation } from "../engine/operation.ts";
import { createPort } from "../port.ts";
import type { OpenedStore } from "../store-engine.ts";
import * as nodes from "./nodes.ts";
import * as quotas from "./quotas.ts";
import { awaitDatabase } from "./database/await-database.ts";
import { outcomeOf, toStoreError } from "./database/errors.ts";
import { createExecute } from "./database/execute.ts";
import { createMerge } from "./database/merge.ts";
import { listMigrations, migrate } from "./database/migrate.ts";
import { createPool, poolsOf } from "./database/pool.ts";
import { createTranslate, listTables } from "./database/translate.ts";
import { parsePostgresUrl } from "./database/url.ts";
import { createTransactions, type Rule } from "./transactions.ts";

const HOUR_MS = 3_600_000;
/** Range of the random owner numbers: exact in JavaScript and PostgreSQL. */
const OWNERS = 2 ** 47;
/** A commit holds its part of a usage row until it is on disk. */
const USAGE_PARTS = 16;

export interface PostgresStoreOptions {
  /** `postgres://…`; see docs/configuration.md. */
  readonly url: string;
  readonly clock: Clock;
  /** How long an idempotency key is kept, hours. */
  readonly idempotencyRetentionHours?: number;
  /** As in OpenOptions. */
  readonly connections?: ConnectionSettings;
  readonly onUnreachable?: (reason: StoreError) => void;
  /** Receives measurements of the store's work; null by default. */
  readonly telemetry?: StoreTelemetry | null;
}

/**
 * Opens the store; creates or migrates its schema. Rejects with a StoreError whose message is for the operator: the
 * server is unreachable (`unavailable`), or the address is not valid, the server is too old, or the schema is foreign
 * or of a later version (`failed`).
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  return (await openPostgres(options)).store;
}

/** Opens the store as openPostgresStore does, with the nodes that share it. */
export async function openPostgres(options: PostgresStoreOptions): Promise<OpenedStore> {
  const { clock, telemetry = null } = options;
  const { idempotencyRetentionHours = IDEMPOTENCY_RETENTION_HOURS } = options;
  const target = parsePostgresUrl(options.url);
  const arrival = await awaitDatabase(() => migrate(target, clock.nowMs()), options.onUnreachable);
  const tables = ["schema_version", ...listTables(listMigrations())];
  const translate = createTranslate(target.schema, tables);
  const execute = createExecute(translate, target.preparesStatements);
  // The owner changes when this process joins as a node.
  const settings = {
    owner: randomInt(OWNERS),
    idempotencyRetentionMs: idempotencyRetentionHours * HOUR_MS,
    usageParts: USAGE_PARTS,
  };
  const pools = poolsOf(options.connections ?? DEFAULT_CONNECTIONS);
  const pool = createPool(target, pools.requests);
  const asidePool = createPool(target, pools.aside);
  let closing: Promise<unknown> | null = null;
  /** Operations that have not ended. Some of them wait for their turn without a connection. */
  let running = 0;
  let allEnded = (): void => {};
  const closePools = async (): Promise<void> => {
    if (running > 0) await new Promise<void>((resolve) => (allEnded = resolve));
    await Promise.all([pool.end(), asidePool.end()]);
  };
  const checkOpen = (): void => {
    if (closing !== null) throw new StoreError("unavailable", "The store is closed.");
    if (!arrival.isThere()) throw new StoreError("unavailable", "The database has been out of reach since the start.");
  };
  const merge = createMerge(translate, asidePool, target.preparesStatements);
  const requests = createTransactions(pool, execute, { settings, pool: pools.requests, merge, checkOpen: () => {} });
  const aside = createTransactions(asidePool, execute, { settings, pool: pools.aside, merge, checkOpen });
  const runs: Readonly<Record<StoreSide, (name: string, rule: Rule) => Promise<unknown>>> = {
    write: (_, rule) => requests.write(rule),
    read: (_, rule) => requests.read(rule),
    point: requests.readPoint,
    aside: (_, rule) => aside.read(rule),
  };
  const measure = createMeasure(telemetry);
  /** The database's clock minus this machine's, milliseconds; read when this process joins as a node. */
  let aheadMs = 0;
  const run: RunAny = async (name, operation, argument) => {
    checkOpen();
    const { side: sides, encode, decode } = operation;
    const side = typeof sides === "function" ? sides(argument) : sides;
    const encoded = encode(argument);
    // One time for all attempts.
    const nowMs = storeClock.nowMs();
    const rule: Rule = (tx) => operation.run(tx, encoded as never, nowMs);
    running++;
    try {
      const result = await measure(side, name, () =>
        operation.usesBuffers ? requests.writeTogether(rule) : runs[side](name, rule),
      );
      return decode(result as never, argument);
    } finally {
      if (--running === 0) allEnded();
    }
  };
  const store = {
    ...createPort(<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>) =>
      run<ArgumentOf<Name>, ResultOf<Name>>(name, POSTGRES_OPERATIONS[name] as never, argument),
    ),
    close: async () => {
      arrival.stopWaiting();
      closing ??= closePools();
      await closing;
    },
  };
  const readClock = async (): Promise<void> => {
    const sentMs = clock.nowMs();
    const nowMs = await run("readNow", nodes.readNow, undefined);
    // A whole number: it becomes part of times that are stored.
    aheadMs = Math.round(nowMs - (sentMs + clock.nowMs()) / 2);
  };
  const storeClock: Clock = {
    nowMs: () => clock.nowMs() + aheadMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (milliseconds, callback) => clock.after(milliseconds, callback),
  };
  const nodeStore = createNodeStore(run, settings, readClock);
  return { store, nodes: nodeStore, clock: storeClock, reachable: arrival.isThere() ? null : arrival.reached };
}

/** Runs an operation of the store or of its nodes. */
type RunAny = <Argument, Result>(
  name: string,
  operation: Operation<Argument, Result>,
  argument: Argument,
) => Promise<Result>;

/** The operations of the port. Here a turn is an orphan once its node has gone. */
const POSTGRES_OPERATIONS = { ...OPERATIONS, listOrphans: nodes.listOrphans };

function createNodeStore(run: RunAny, settings: { owner: number }, readClock: () => Promise<void>): NodeStore {
  return {
    async join(node) {
      await readClock();
      const id = randomInt(OWNERS);
      await run("join", nodes.join, { ...node, id });
      settings.owner = id;
    },
    async renew(renewal) {
      const isMember = await run("renew", nodes.renew, renewal);
      await readClock();
      return isMember;
    },
    leave: () => run("leave", nodes.leave, undefined),
    expireNodes: () => run("expireNodes", nodes.expireNodes, undefined),
    listNodes: () => run("listNodes", nodes.listNodes, undefined),
    listRunning: () => run("listRunning", nodes.listRunning, undefined),
    requestStop: (query) => run("requestStop", nodes.requestStop, query),
    requestStopOfDeleted: (query) => run("requestStopOfDeleted", nodes.requestStopOfDeleted, query),
    listStopRequests: () => run("listStopRequests", nodes.listStopRequests, undefined),
    drawAllowance: (query) => run("drawAllowance", quotas.draw, query),
    returnAllowance: (query) => run("returnAllowance", quotas.returnAllowance, query),
    takeStreams: (query) => run("takeStreams", quotas.takeStreams, query),
    returnStreams: (query) => run("returnStreams", quotas.returnStreams, query),
    takeTask: (query) => run("takeTask", nodes.takeTask, query),
  };
}

/** Creates the function that runs a call and reports it to the telemetry of its side. */
function createMeasure(telemetry: StoreTelemetry | null) {
  type Call = () => Promise<unknown>;
  if (telemetry === null) return (_side: StoreSide, _name: string, call: Call) => call();
  const watch = (name: StoreSide) => {
    const side = telemetry.side(name);
    let waiting = 0;
    side.watchWaiting(() => waiting);
    return async (operation: string, call: Call): Promise<unknown> => {
      const startedMs = performance.now();
      const answered = (outcome: Parameters<typeof side.callAnswered>[1]) =>
        side.callAnswered(operation, outcome, performance.now() - startedMs);
      waiting++;
      try {
        const result = await call();
        answered("ok");
        return result;
      } catch (error) {
        answered(outcomeOf(toStoreError(error)));
        throw error;
      } finally {
        waiting--;
      }
    };
  };
  const sides = { point: watch("point"), read: watch("read"), write: watch("write"), aside: watch("aside") };
  return (side: StoreSide, name: string, call: Call) => sides[side](name, call);
}
