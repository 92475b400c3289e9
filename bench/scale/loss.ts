/** A shard loses its primary. */
import { CONNECT_TIMEOUT_SECONDS, FAILOVER_SECONDS, READY_AGAIN_SECONDS } from "./costs.ts";
import type { Placement } from "./placement.ts";

export interface Loss {
  /** The share of all creates that fails meanwhile. */
  readonly share: number;
  readonly organizations: number;
  readonly seconds: number;
  readonly failed: number;
  /** Requests that wait for a connection at once, if nodes serve all shards: they hold slots of the others. */
  readonly waiting: number;
}

/** What clients see of it. Turns that run go on and are stored when the database is back. */
export function loseShard({ shardOf, loads }: Placement, shard: number): Loss {
  const load = loads[shard] ?? 0;
  const all = loads.reduce((sum, each) => sum + each, 0);
  const seconds = FAILOVER_SECONDS + READY_AGAIN_SECONDS;
  return {
    share: load / all,
    organizations: shardOf.filter((each) => each === shard).length,
    seconds,
    failed: load * seconds,
    waiting: load * CONNECT_TIMEOUT_SECONDS,
  };
}
