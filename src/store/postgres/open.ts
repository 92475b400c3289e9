// The store on PostgreSQL, which several nodes may share, behind the port. @spec what-the-service-does
import { randomInt } from "node:crypto";
import { HOUR_MS } from "../../base/time.ts";
import { DEFAULT_CONNECTIONS } from "../../contract/connections.ts";
import { IDEMPOTENCY_RETENTION_HOURS } from "../../contract/limits.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NodeStore } from "../../ports/store/nodes.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { StoreSide } from "../../ports/telemetry.ts";
import { PROCEDURES } from "../procedures.ts";
import type { ProceduresOf } from "../engine/procedure.ts";
import { newestOf } from "../engine/migrations.ts";
import { callsOf, createPing, createProcedureRunner } from "../engine/run.ts";
import { createPort } from "../port.ts";
import type { OpenedStore, OpenOptions } from "../store-engine.ts";
import * as nodes from "./nodes.ts";
import * as quotas from "./quotas.ts";
import { drawAttempt } from "./sign-in-attempts.ts";
import { awaitDatabase } from "./database/await-database.ts";
import { createExecute } from "./database/execute.ts";
import { createMerge } from "./database/merge.ts";
import { listMigrations, migrate } from "./database/migrate.ts";
import { createPool, poolsOf } from "./database/pool.ts";
import { createTranslate, listTables } from "./database/translate.ts";
import { parsePostgresUrl } from "./database/url.ts";
import { createTransactions, type Call } from "./transactions.ts";

/** Range of the random instance ids: exact in JavaScript and PostgreSQL. */
const INSTANCE_IDS = 2 ** 47;
/** A commit holds its part of a usage row until it is on disk. */
const USAGE_PARTS = 16;

/**
 * Opens the store; creates or migrates its schema. Rejects with a StoreError whose message is for the operator: the
 * server is unreachable (`unavailable`), or the address is not valid, the server is too old, or the schema is foreign
 * or of a later version (`failed`).
 */
export async function openPostgres(options: OpenOptions): Promise<OpenedStore> {
  const { clock, telemetry = null } = options;
  const { idempotencyRetentionHours = IDEMPOTENCY_RETENTION_HOURS } = options;
  const target = parsePostgresUrl(options.location);
  const arrival = await awaitDatabase(() => migrate(target, clock.nowMs(), options.stopsOthers), options.onUnreachable);
  const tables = ["schema_version", "schema_lease", ...listTables(listMigrations())];
  const translate = createTranslate(target.schema, tables);
  const execute = createExecute(translate, target.preparesStatements);
  // The id changes when this process joins as a node.
  const settings = {
    instanceId: randomInt(INSTANCE_IDS),
    idempotencyRetentionMs: idempotencyRetentionHours * HOUR_MS,
    usageParts: USAGE_PARTS,
  };
  const pools = poolsOf(options.connections ?? DEFAULT_CONNECTIONS);
  const pool = createPool(target, pools.requests);
  const asidePool = createPool(target, pools.aside);
  let closing: Promise<unknown> | null = null;
  /** Calls that have not ended. Some of them wait for their turn without a connection. */
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
  const runs: Readonly<Record<StoreSide, (name: string, call: Call) => Promise<unknown>>> = {
    write: (_, call) => requests.write(call),
    read: (_, call) => requests.read(call),
    point: requests.readPoint,
    aside: (_, call) => aside.read(call),
  };
  /** The database's clock minus this machine's, milliseconds; read when this process joins as a node. */
  let aheadMs = 0;
  const knownSchema = newestOf(listMigrations());
  const run = createProcedureRunner<string>({
    telemetry,
    knownSchema,
    // One time for all attempts.
    nowMs: () => storeClock.nowMs(),
    async execute({ side, name, procedure, argument, nowMs }) {
      checkOpen();
      const call: Call = (tx) => procedure.run(tx, argument as never, nowMs);
      running++;
      try {
        return await (procedure.usesBuffers ? requests.writeTogether(call) : runs[side](name, call));
      } finally {
        if (--running === 0) allEnded();
      }
    },
  });
  const store = {
    ...createPort(run, POSTGRES_PROCEDURES, createPing(knownSchema, nodes.readComingSchema)),
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
  const nodeCalls = callsOf<Omit<NodeStore, "join">>(NODE_PROCEDURES, run);
  const nodeStore: NodeStore = {
    ...nodeCalls,
    async join(node) {
      await readClock();
      const id = randomInt(INSTANCE_IDS);
      await run("join", nodes.join, { ...node, id, schemaVersion: knownSchema });
      settings.instanceId = id;
    },
    async renew(renewal) {
      const isMember = await nodeCalls.renew(renewal);
      await readClock();
      return isMember;
    },
  };
  return { store, nodes: nodeStore, clock: storeClock, reachable: arrival.isThere() ? null : arrival.reached };
}

/** The procedures of the port. Here a response is an orphan once its node has gone. */
const POSTGRES_PROCEDURES = { ...PROCEDURES, listOrphans: nodes.listOrphans };

const NODE_PROCEDURES: ProceduresOf<Omit<NodeStore, "join">> = {
  renew: nodes.renew,
  leave: nodes.leave,
  listLeases: nodes.listLeases,
  expire: nodes.expire,
  listNodes: nodes.listNodes,
  listRunning: nodes.listRunning,
  requestStop: nodes.requestStop,
  takeTask: nodes.takeTask,
  drawAllowance: quotas.draw,
  returnAllowance: quotas.returnAllowance,
  takeStreams: quotas.takeStreams,
  keepStreams: quotas.keepStreams,
  drawAttempt,
};
