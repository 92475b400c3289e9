/** What a turn costs, as measured on one machine (docs/scale.md says by which command), and what the plan assumes. */

/** Of a priced turn of 3.3 KB on PostgreSQL, 64 at once: `node bench/postgres-turn.ts`. */
export const TURN = {
  databaseCpuSeconds: 1.05e-3,
  nodeCpuSeconds: 0.57e-3,
  logBytes: 10_900,
  storedBytes: 9400,
} as const;

/** What `turngate store copy` writes into PostgreSQL, one connection: 258 MB in 9.2 seconds. */
export const COPY_BYTES_PER_SECOND = 28e6;
/** A node is ready so long after its database is back (docs/nodes.md). */
export const READY_AGAIN_SECONDS = 5;
/** The connections of a node, and how long a request waits for one before it is a 503. */
export const NODE_CONNECTIONS = 12;
export const CONNECT_TIMEOUT_SECONDS = 2;

/** Assumed: the share of its cores that a database or a node may use at the mean. */
export const BUSY_SHARE = 0.6;
/** Assumed: the turns a second of an ordinary shard. Its log and rows are then some 20 MB/s each. */
export const SHARD_TURNS = 2000;
/** Assumed: a standby takes over so long after the primary was lost. */
export const FAILOVER_SECONDS = 30;
/** Assumed: a router has read its map again. */
export const MAP_SECONDS = 1;

/** The cores that so many turns a second need. */
export function coresFor(turnsPerSecond: number, cpuSeconds: number): number {
  return Math.ceil((turnsPerSecond * cpuSeconds) / BUSY_SHARE);
}
