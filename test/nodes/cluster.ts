// Several nodes on one PostgreSQL, each with a clock and a provider that the test controls.
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/until.ts";
import { TestService, type ServiceSettings } from "../support/service.ts";
import { databases } from "./databases.ts";

export interface Cluster {
  readonly nodes: readonly [TestService, TestService, TestService];
  /** Runs SQL in the database of the nodes, as its administrator would. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
}

/** Three nodes for the length of a test. */
export async function withCluster(settings: ServiceSettings, test: (cluster: Cluster) => Promise<void>): Promise<void> {
  const server = await databases.server();
  const name = await databases.create();
  const first = await TestService.start({ ...settings, database: { engine: "postgres", location: server.url(name) } });
  const client = await server.connect(name);
  await client.query("set search_path = turngate");
  const nodes = [first, await first.startNode(), await first.startNode()] as const;
  try {
    await test({ nodes, sql: async (text) => (await client.query(text)).rows });
  } finally {
    await client.end();
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
