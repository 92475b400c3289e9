// The ledger's transfers: listed for an organization, and those of a response.
import type { MoneyStore, Transfer, TransferPage } from "../../ports/store/money.ts";
import { plainOperation } from "../engine/operation.ts";
import { many, one } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";

/** MoneyStore.listTransfers. */
export const listTransfers = plainOperation(
  "aside",
  function* (tx, query: Parameters<MoneyStore["listTransfers"]>[0]): Steps<TransferPage> {
    const { organizationId, limit, only, readsMax } = query;
    const beforeId = query.before ?? ((yield* selectLast(tx, {}))?.id ?? 0) + 1;
    // The table is in the order of its ids: a page of all transfers reads those of other organizations too.
    const afterId = only === "topup" ? 0 : Math.max(0, beforeId - 1 - readsMax);
    const select = only === "topup" ? selectTopUps : selectAll;
    // One more than the page, to know whether there are more.
    const rows = yield* select(tx, { organizationId, beforeId, afterId, limit: limit + 1 });
    const transfers = rows.slice(0, limit).map(decode);
    const end = afterId === 0 ? null : afterId + 1;
    return { transfers, next: rows.length > limit ? (transfers.at(-1)?.id ?? null) : end };
  },
);

/** The transfers of an organization's response, in their order. */
export function* listTransfersOf(
  tx: Transaction,
  query: { organizationId: string; responseId: string },
): Steps<readonly Transfer[]> {
  return (yield* selectOfResponse(tx, query)).map(decode);
}

type Row = Omit<Transfer, "amountNano"> & { readonly amount: string };

function decode({ amount, ...row }: Row): Transfer {
  return { ...row, amountNano: BigInt(amount) };
}

const COLUMNS = `
         id,
         kind,
         from_account              as "from",
         to_account                as "to",
         cast(amount_nano as text) as amount,
         public_id                 as "transactionId",
         response_id               as "responseId",
         created_at                as "createdAt"`;

const selectLast = one<Record<never, never>, { readonly id: number }>(`
  select id
    from ledger_transfers
   order by id desc
   limit 1`);

/** Pages of an organization's transfers, newest first, narrowed by a condition. */
const pageOf = (condition: string) =>
  many<{ organizationId: string; beforeId: number; afterId: number; limit: number }, Row>(`
  select ${COLUMNS}
    from ledger_transfers
   where organization_id = :organizationId
     ${condition}
     and id < :beforeId
     and id > :afterId
   order by id desc
   limit +:limit`);

const selectAll = pageOf("");
const selectTopUps = pageOf("and kind = 'topup'");

/** One select for each index, in the words of its condition. */
const selectOfResponse = many<{ organizationId: string; responseId: string }, Row>(
  `${["kind = 'hold'", "(kind = 'extend' or kind = 'shortfall' or kind = 'release')", "kind in ('settle', 'void')"]
    .map(
      (kinds) => `
  select ${COLUMNS}
    from ledger_transfers
   where response_id = :responseId
     and ${kinds}
     and organization_id || '' = :organizationId`,
    )
    .join(" union all ")}
   order by id`,
);
