// Several nodes on one PostgreSQL, each with a clock and a provider that the test controls.
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/until.ts";
import type { ServiceSettings } from "../support/service-config.ts";
import { TestService } from "../support/service.ts";
import { databases, type PostgresDatabases } from "../store/postgres-databases.ts";

export interface Cluster {
  readonly nodes: readonly [TestService, TestService, TestService];
  /** The name of their database. */
  readonly database: string;
  /** Runs SQL in the database of the nodes, as its administrator would. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
}

/** Where the database of a cluster is; on the shared server, by default. */
interface ClusterPlace {
  readonly of?: PostgresDatabases;
  /** The address at which the nodes find it. */
  readonly reach?: (url: string) => string | Promise<string>;
}

/** Three nodes for the length of a test. */
export async function withCluster(
  settings: ServiceSettings,
  test: (cluster: Cluster) => Promise<void>,
  { reach = (url) => url, of = databases }: ClusterPlace = {},
): Promise<void> {
  const server = await of.server();
  const name = await of.create();
  const database = { engine: "postgres", location: await reach(server.url(name)) } as const;
  const first = await TestService.start({ ...settings, database });
  const nodes = [first, await first.startNode(), await first.startNode()] as const;
  await server.query(name, `alter database ${name} set search_path = turngate`);
  try {
    await test({ nodes, database: name, sql: (text) => server.query(name, text) });
  } finally {
    await whileTimePasses(Promise.all(nodes.map((node) => node.close())), ...nodes);
  }
}

/** Lets the time of some nodes pass until a promise settles. */
export async function whileTimePasses<T>(promise: Promise<T>, ...nodes: readonly TestService[]): Promise<T> {
  const settled = { is: false };
  const passing = async (): Promise<void> => {
    while (!settled.is) {
      await Promise.all(nodes.map(({ clock }) => clock.advance(100)));
      // Queries to the database take real time.
      await sleep(5);
    }
  };
  const passed = passing();
  try {
    return await promise;
  } finally {
    settled.is = true;
    await passed;
  }
}

/** Lets the time of some nodes pass until a condition holds. */
export function timePassesUntil(condition: () => Promise<boolean>, ...nodes: readonly TestService[]): Promise<void> {
  return whileTimePasses(until("what the test waits for", condition), ...nodes);
}
