// Clients that create turns on all nodes while something is broken, and what must be true afterwards.
import assert from "node:assert/strict";
import type { Reply } from "../support/http-client.ts";
import type { TestService } from "../support/service.ts";
import { type Cluster, timePassesUntil } from "./cluster.ts";
import { findViolations } from "./violations.ts";

/** What a client may get meanwhile, by status and code; it tries again then. */
const PASSING = new Set([
  "503 database_unavailable",
  "503 auth_unavailable",
  "409 idempotency_in_progress",
  "200 in_progress",
]);

export interface Load {
  /** No response is begun any more; resolves when each has its end. */
  stop(): Promise<void>;
  /** The ends that clients got, by the name of the response. */
  readonly ends: ReadonlyMap<string, Reply>;
  /** How often each passing answer came. */
  readonly passed: ReadonlyMap<string, number>;
}

/**
 * Lets so many clients create turns on random nodes, each with an Idempotency-Key, sent again until it got the end.
 */
export function startLoad(nodes: readonly TestService[], clients: number): Load {
  const ends = new Map<string, Reply>();
  const passed = new Map<string, number>();
  const load = { isOver: false };
  let sent = 0;
  const createOne = async (name: string): Promise<void> => {
    const body = { model: "test/priced", input: `/${name}/`, stream: false };
    for (;;) {
      const node = nodes[++sent % nodes.length]!;
      const reply = await node.create(body, { headers: { "idempotency-key": name } });
      const { status, json } = reply;
      const outcome = `${status} ${json.error?.code ?? json.status}`;
      if (outcome === "200 completed") {
        ends.set(name, reply);
        return;
      }
      assert.ok(PASSING.has(outcome), `${outcome}: ${reply.text}`);
      passed.set(outcome, (passed.get(outcome) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const live = async (client: number): Promise<void> => {
    for (let count = 0; !load.isOver; count++) await createOne(`${client}-${count}`);
  };
  const lives = Promise.all(Array.from({ length: clients }, (_, client) => live(client)));
  lives.catch(() => {});
  return {
    async stop() {
      load.isOver = true;
      await lives;
    },
    ends,
    passed,
  };
}

/**
 * Asserts that nothing is lost: each end is there on every node as its client got it, each response was sent to a provider
 * once, nothing runs, and the books and the audit log agree.
 */
export async function assertWhole({ nodes, sql }: Cluster, { ends }: Pick<Load, "ends">): Promise<void> {
  const isIdle = async () => (await sql("select from responses where completed_at is null limit 1")).length === 0;
  await timePassesUntil(isIdle, ...nodes);
  for (const { json, text } of ends.values()) {
    for (const node of nodes)
      assert.equal((await node.request("GET", `/v1/responses/${json.id}`)).text, text, "as its client got it");
  }
  const asked = new Map<string, number>();
  for (const { prompt } of nodes.flatMap(({ provider }) => provider.calls)) {
    const name = /\/([\d-]+)\//.exec(JSON.stringify(prompt.items))?.[1];
    if (name !== undefined) asked.set(name, (asked.get(name) ?? 0) + 1);
  }
  for (const name of ends.keys()) assert.equal(asked.get(name), 1, `provider calls for ${name}`);
  assert.deepEqual(await findViolations(nodes[0].store, sql), []);
}
