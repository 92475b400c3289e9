// The turns that run now, on any node: what they are, without their content.
import type { RunningStatus } from "../../contract/statuses.ts";
import type { RunningTurn, RunningTurns } from "../../ports/store/turns.ts";
import { plainOperation } from "../engine/operation.ts";
import { many } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";

/** TurnStore.listRunning. */
export const listRunning = plainOperation(
  "read",
  function* (tx, query: { organizationId: string | null; limit: number }): Steps<RunningTurns> {
    const { organizationId, limit } = query;
    const counts = yield* countRunning(tx, { organizationId });
    const countOf = (status: RunningStatus) => counts.find((row) => row.status === status)?.turns ?? 0;
    return {
      turns: yield* selectRunningTurns(tx, { organizationId, limit }),
      inProgress: countOf("in_progress"),
      queued: countOf("queued"),
    };
  },
);

/** A partial index holds only the running turns, of which there are few. */
const RUNNING = `
   where responses.completed_at is null
     and (cast(:organizationId as text) is null or responses.organization_id = :organizationId)`;

const selectRunningTurns = many<{ organizationId: string | null; limit: number }, RunningTurn>(`
  select responses.public_id       as id,
         responses.organization_id as organizationId,
         responses.key_id          as keyId,
         k.name                    as keyName,
         responses.model,
         responses.created_at      as createdAt,
         responses.status
    from responses
    join api_keys k on k.id = responses.key_id ${RUNNING}
   order by responses.created_at, responses.id
   limit +:limit`);

const countRunning = many<
  { organizationId: string | null },
  { readonly status: RunningStatus; readonly turns: number }
>(`
  select responses.status, count(*) as turns
    from responses ${RUNNING}
   group by responses.status`);
