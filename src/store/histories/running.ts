// The responses that run now, on any node: what they are, without their content.
import type { RunningStatus } from "../../contract/statuses.ts";
import type { RunningResponse, RunningResponses } from "../../ports/store/responses.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { many } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";

/** ResponseStore.listRunning. */
export const listRunning = plainProcedure(
  "read",
  function* (tx, query: { organizationId: string | null; limit: number }): Steps<RunningResponses> {
    const { organizationId, limit } = query;
    const counts = yield* countRunning(tx, { organizationId });
    const countOf = (status: RunningStatus) => counts.find((row) => row.status === status)?.responses ?? 0;
    return {
      responses: yield* selectRunningResponses(tx, { organizationId, limit }),
      inProgress: countOf("in_progress"),
      queued: countOf("queued"),
    };
  },
);

/** A partial index holds only the running responses, of which there are few. */
const RUNNING = `
   where responses.completed_at is null
     and (cast(:organizationId as text) is null or responses.organization_id = :organizationId)`;

const selectRunningResponses = many<{ organizationId: string | null; limit: number }, RunningResponse>(`
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
  { readonly status: RunningStatus; readonly responses: number }
>(`
  select responses.status, count(*) as responses
    from responses ${RUNNING}
   group by responses.status`);
