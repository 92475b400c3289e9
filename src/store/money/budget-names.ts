// What the name of a budget is about: a member is named by id or e-mail address, a key by its id.
import type { BudgetName } from "../../core/money/budgets.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { one } from "../engine/statement.ts";

/** A budget by its name, of which the id is that of the key or member. */
export interface NamedBudget {
  readonly organizationId: string;
  readonly name: BudgetName;
}

/** The name with the id of the key or member; throws an AccountError when the organization has no such one. */
export function* resolveName(
  tx: Transaction,
  { organizationId, name }: NamedBudget,
  revoked: "no revoked keys" | "revoked keys too" = "no revoked keys",
): Steps<BudgetName> {
  const { scope, id, period } = name;
  if (scope !== "member" && scope !== "key") return { scope, id: null, period };
  const named = { organizationId, id: id ?? "" };
  const found = scope === "member" ? yield* selectMember(tx, named) : yield* selectKey(tx, named);
  if (found === undefined) throw new AccountError(`The organization has no ${scope} ${id}.`);
  if (found.revokedAt !== null && revoked === "no revoked keys") {
    throw new AccountError(`The key ${id} has been revoked and cannot have a budget.`);
  }
  return { scope, id: found.id, period };
}

const selectMember = one<{ organizationId: string; id: string }, { id: string; revokedAt: null }>(`
  select id, null as revokedAt
    from members
   where organization_id = :organizationId
     and (id = :id or email = :id collate nocase)
   order by id = :id desc
   limit 1`);

const selectKey = one<{ organizationId: string; id: string }, { id: string; revokedAt: number | null }>(`
  select id, revoked_at as revokedAt
    from api_keys
   where id = :id
     and organization_id = :organizationId`);
