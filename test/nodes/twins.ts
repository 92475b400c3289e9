// Equal requests with one Idempotency-Key, all at once over three nodes: each key reaches a provider once.
// docs/reliability.md, F-31; docs/decisions/tests.md, G-11
import type { Reply } from "../support/http-client.ts";
import { withCluster } from "./cluster.ts";

/** Sends so many twins for each of so many keys; resolves to what was wrong. */
export async function runTwins(keys: number, twins: number): Promise<readonly string[]> {
  const violations: string[] = [];
  await withCluster({}, async ({ nodes }) => {
    const countCalls = () => nodes.reduce((sum, { provider }) => sum + provider.calls.length, 0);
    for (let at = 0; at < keys; at++) {
      const before = countCalls();
      const options = { headers: { "idempotency-key": `key ${at}` } };
      const send = (_: unknown, twin: number): Promise<Reply> => nodes[twin % 3]!.create({ input: "Hi" }, options);
      const replies = await Promise.all(Array.from({ length: twins }, send));
      const good = replies.filter(({ status }) => status === 200);
      const bad = replies.filter(({ status, json }) => status !== 200 && json.error.code !== "idempotency_in_progress");
      const ids = new Set(good.map(({ json }) => json.id));
      const called = countCalls() - before;
      if (ids.size !== 1 || called !== 1 || bad.length > 0)
        violations.push(`key ${at}: ${ids.size} turns, ${called} provider calls, ${JSON.stringify(bad[0]?.json)}`);
    }
  });
  return violations;
}
