// What must hold in a database of nodes on which no response runs any more.
import type { Store } from "../../src/ports/store/store.ts";

/**
 * Finds what is wrong: responses that run, other numbers of responses and of keys, holds for nothing, the books, the
 * audit log.
 */
export async function findViolations(
  store: Store,
  sql: (text: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<readonly string[]> {
  const count = async (what: string) =>
    Number((await sql(`select count(*) as count from turngate.${what}`))[0]?.["count"]);
  const running = await count("responses where completed_at is null");
  const turns = await count("responses where claim_id is not null");
  const claims = await count("claims");
  const held = await count("balances where held_nano <> 0");
  const { differences } = await store.reconcile({ organizationId: null });
  const { brokenAt } = await store.checkAudit({ after: { id: 0, hash: "" }, limit: 10_000 });
  return [
    ...(running === 0 ? [] : [`${running} turns are running`]),
    ...(turns === claims ? [] : [`${turns} turns for ${claims} keys`]),
    ...(held === 0 ? [] : [`${held} balances hold money for nothing`]),
    ...differences.map((difference) => `ledger check: ${JSON.stringify(difference)}`),
    ...(brokenAt === null ? [] : [`audit verify: broken at ${JSON.stringify(brokenAt)}`]),
  ];
}
