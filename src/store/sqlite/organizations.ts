// Organizations: their plan, limits, policy and credits. @spec authentication
import {
  AccountError,
  type Organization,
  type OrganizationLimits,
  type OrganizationPolicy,
} from "../../ports/accounts.ts";
import { parseStored } from "./codec.ts";
import type { Connection } from "./connection.ts";
import { openAccounts, postTopUp } from "./ledger.ts";
import { asIs, coded } from "./operation.ts";
import { change, many, one } from "./statement.ts";

const NO_LIMITS: OrganizationLimits = {
  createPerMinute: null,
  retrievePerMinute: null,
  deletePerMinute: null,
  openStreams: null,
};
const NO_POLICY: OrganizationPolicy = { allowModels: null, denyModels: [], toolCallsPerTurn: null };

/** An organization's row, with its balance as text: it may pass what a number holds. */
export interface OrganizationRow {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly plan: number;
  readonly paymentMethod: number;
  readonly suspended: number;
  readonly policy: string;
  readonly limits: string;
  readonly organizationCreatedAt: number;
  readonly credits: string;
}

/** The columns of OrganizationRow, and the tables that they come from. */
export const ORGANIZATION_COLUMNS = `
         o.id                            as organizationId,
         o.name                          as organizationName,
         o.plan,
         o.payment_method                as paymentMethod,
         o.suspended,
         o.policy,
         o.limits,
         o.created_at                    as organizationCreatedAt,
         cast(b.credits_nano as text)      as credits`;

export const ORGANIZATION_TABLES = `organizations o
    join balances b on b.organization_id = o.id`;

/** AccountStore.createOrganization. */
export const createOrganization = organizationOperation(
  "write",
  (connection, create: { id: string; name: string; createdAt: number }) => {
    const { id, name, createdAt } = create;
    if (selectOrganizationNamed(connection, { idOrName: name }) !== undefined) {
      throw new AccountError(`There is an organization named ${name} already.`);
    }
    insertOrganization(connection, {
      id,
      name,
      policy: JSON.stringify(NO_POLICY),
      limits: JSON.stringify(NO_LIMITS),
      createdAt,
    });
    openAccounts(connection, id);
    return needOrganization(connection, id);
  },
);

/** AccountStore.listOrganizations. */
export const listOrganizations = coded({
  side: "read",
  encode: asIs<void>,
  run: (connection) => selectOrganizations(connection, {}),
  decode: (rows: OrganizationRow[]): readonly Organization[] => rows.map(decodeOrganization),
});

/** AccountStore.findOrganization. */
export const findOrganization = coded({
  side: "read",
  encode: asIs<{ idOrName: string }>,
  run: (connection, query) => selectOrganizationNamed(connection, query) ?? null,
  decode: (row: OrganizationRow | null): Organization | null => (row === null ? null : decodeOrganization(row)),
});

interface OrganizationUpdate {
  readonly organizationId: string;
  readonly plan?: boolean;
  readonly paymentMethod?: boolean;
  readonly suspended?: boolean;
  readonly policy?: OrganizationPolicy;
  readonly limits?: OrganizationLimits;
}

/** AccountStore.updateOrganization. */
export const updateOrganization = organizationOperation("write", (connection, update: OrganizationUpdate) => {
  const { organizationId, plan, paymentMethod, suspended, policy, limits } = update;
  const before = needOrganization(connection, organizationId);
  updateOrganizationRow(connection, {
    id: organizationId,
    plan: plan === undefined ? before.plan : Number(plan),
    paymentMethod: paymentMethod === undefined ? before.paymentMethod : Number(paymentMethod),
    suspended: suspended === undefined ? before.suspended : Number(suspended),
    policy: policy === undefined ? before.policy : JSON.stringify(policy),
    limits: limits === undefined ? before.limits : JSON.stringify(limits),
  });
  return needOrganization(connection, organizationId);
});

/** AccountStore.addCredits. */
export const addCredits = organizationOperation(
  "write",
  (connection, add: { transactionId: string; organizationId: string; amountNano: bigint; createdAt: number }) => {
    needOrganization(connection, add.organizationId);
    postTopUp(connection, add);
    return needOrganization(connection, add.organizationId);
  },
);

/** An operation that answers an organization. */
function organizationOperation<Argument>(
  side: "write",
  run: (connection: Connection, argument: Argument, nowMs: number) => OrganizationRow,
) {
  return coded({ side, encode: asIs<Argument>, run, decode: decodeOrganization });
}

/** The organization of a row. */
export function decodeOrganization(row: OrganizationRow): Organization {
  return {
    id: row.organizationId,
    name: row.organizationName,
    plan: row.plan === 1,
    paymentMethod: row.paymentMethod === 1,
    suspended: row.suspended === 1,
    creditsNano: BigInt(row.credits),
    policy: parseStored<OrganizationPolicy>(row.policy, "policy of an organization"),
    limits: parseStored<OrganizationLimits>(row.limits, "limits of an organization"),
    createdAt: row.organizationCreatedAt,
  };
}

/** An organization's row; throws an AccountError when there is none. */
export function needOrganization(connection: Connection, id: string): OrganizationRow {
  const row = selectOrganization(connection, { id });
  if (row === undefined) throw new AccountError(`There is no organization ${id}.`);
  return row;
}

const selectOrganization = one<{ id: string }, OrganizationRow>(`
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   where o.id = :id`);

const selectOrganizationNamed = one<{ idOrName: string }, OrganizationRow>(`
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   where o.id = :idOrName
      or o.name = :idOrName
   order by o.id = :idOrName desc
   limit 1`);

const selectOrganizations = many<Record<never, never>, OrganizationRow>(`
  select ${ORGANIZATION_COLUMNS}
    from ${ORGANIZATION_TABLES}
   order by o.created_at, o.rowid`);

const insertOrganization = change<{ id: string; name: string; policy: string; limits: string; createdAt: number }>(`
  insert into organizations (id, name, policy, limits, created_at)
  values (:id, :name, :policy, :limits, :createdAt)`);

const updateOrganizationRow = change<{
  id: string;
  plan: number;
  paymentMethod: number;
  suspended: number;
  policy: string;
  limits: string;
}>(`
  update organizations
     set plan           = :plan,
         payment_method = :paymentMethod,
         suspended      = :suspended,
         policy         = :policy,
         limits         = :limits
   where id = :id`);
