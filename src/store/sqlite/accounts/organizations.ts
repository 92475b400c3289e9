// Organizations: their plan, limits, policy and credits. @spec authentication
import {
  AccountError,
  NO_POLICY,
  type Organization,
  type OrganizationLimits,
  type OrganizationPolicy,
} from "../../../ports/accounts.ts";
import { creditsAsNumber } from "../../../core/accounts/credits.ts";
import type { Actor, AuditAction, AuditValues } from "../../../ports/audit.ts";
import { record } from "./audit.ts";
import { parseStored } from "../database/stored-json.ts";
import type { Connection } from "../database/connection.ts";
import { openAccounts, postTopUp } from "../money/ledger.ts";
import { asIs, coded } from "../database/operation.ts";
import { remembering } from "../database/remembering.ts";
import { change, many, one } from "../database/statement.ts";

const NO_LIMITS: OrganizationLimits = {
  createPerMinute: null,
  retrievePerMinute: null,
  deletePerMinute: null,
  openStreams: null,
};

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
export const createOrganization = organizationChange(
  (connection, create: { by: Actor; id: string; name: string; createdAt: number }, atMs) => {
    const { by, id, name, createdAt } = create;
    refuseTakenName(connection, name);
    insertOrganization(connection, {
      id,
      name,
      policy: JSON.stringify(NO_POLICY),
      limits: JSON.stringify(NO_LIMITS),
      createdAt,
    });
    openAccounts(connection, id);
    record(connection, {
      by,
      atMs,
      organizationId: id,
      action: "organization.create",
      target: null,
      after: { name },
    });
    return needOrganization(connection, id);
  },
);

/** AccountStore.listOrganizations. */
export const listOrganizations = coded({
  side: "point",
  encode: asIs<void>,
  run: (connection) => selectOrganizations(connection, {}),
  decode: (rows: OrganizationRow[]): readonly Organization[] => rows.map(decodeOrganization),
});

/** AccountStore.findOrganization. */
export const findOrganization = coded({
  side: "point",
  encode: asIs<{ idOrName: string }>,
  run: (connection, query) => selectOrganizationNamed(connection, query) ?? null,
  decode: (row: OrganizationRow | null): Organization | null => (row === null ? null : decodeOrganization(row)),
});

interface OrganizationUpdate {
  readonly by: Actor;
  readonly organizationId: string;
  readonly name?: string;
  readonly plan?: boolean;
  readonly paymentMethod?: boolean;
  readonly suspended?: boolean;
  readonly policy?: Partial<OrganizationPolicy>;
  readonly limits?: Partial<OrganizationLimits>;
}

/** AccountStore.updateOrganization. */
export const updateOrganization = organizationChange((connection, update: OrganizationUpdate, atMs) => {
  const { by, organizationId, ...given } = update;
  const row = needOrganization(connection, organizationId);
  const before = decodeOrganization(row);
  const { name = before.name, plan = before.plan, suspended = before.suspended } = given;
  const { paymentMethod = before.paymentMethod } = given;
  if (name !== before.name) refuseTakenName(connection, name);
  const after = {
    ...before,
    name,
    plan,
    suspended,
    paymentMethod,
    policy: { ...before.policy, ...given.policy },
    limits: { ...before.limits, ...given.limits },
  };
  updateOrganizationRow(connection, {
    id: organizationId,
    name,
    plan: Number(plan),
    paymentMethod: Number(paymentMethod),
    suspended: Number(suspended),
    policy: JSON.stringify(after.policy),
    limits: JSON.stringify(after.limits),
  });
  for (const { action, values } of CHANGES) {
    record(connection, {
      by,
      atMs,
      organizationId,
      action: action(after),
      target: null,
      before: values(before),
      after: values(after),
    });
  }
  return needOrganization(connection, organizationId);
});

/** What an update may change, each a change of its own in the audit log. */
const CHANGES: readonly {
  readonly action: (after: Organization) => AuditAction;
  readonly values: (organization: Organization) => AuditValues;
}[] = [
  { action: () => "organization.rename", values: ({ name }) => ({ name }) },
  {
    action: ({ suspended }) => (suspended ? "organization.suspend" : "organization.resume"),
    values: ({ suspended }) => ({ suspended }),
  },
  { action: ({ plan }) => (plan ? "plan.start" : "plan.stop"), values: ({ plan }) => ({ plan }) },
  {
    action: ({ paymentMethod }) => (paymentMethod ? "payment_method.set" : "payment_method.clear"),
    values: ({ paymentMethod }) => ({ payment_method: paymentMethod }),
  },
  {
    action: () => "policy.set",
    values: ({ policy }) => ({
      allow_models: policy.allowModels,
      deny_models: policy.denyModels,
      tool_calls_per_turn: policy.toolCallsPerTurn,
    }),
  },
  {
    action: () => "limits.set",
    values: ({ limits }) => ({
      create_per_minute: limits.createPerMinute,
      retrieve_per_minute: limits.retrievePerMinute,
      delete_per_minute: limits.deletePerMinute,
      open_streams: limits.openStreams,
    }),
  },
];

/** AccountStore.addCredits. */
export const addCredits = organizationChange(
  (
    connection,
    add: { by: Actor; transactionId: string; organizationId: string; amountNano: bigint; createdAt: number },
    atMs,
  ) => {
    const { by, transactionId, organizationId, amountNano } = add;
    needOrganization(connection, organizationId);
    if (postTopUp(connection, add)) {
      record(connection, {
        by,
        atMs,
        organizationId,
        action: "credits.add",
        target: transactionId,
        after: { amount: creditsAsNumber(amountNano) },
      });
    }
    return needOrganization(connection, organizationId);
  },
);

/** A change that answers the organization. */
function organizationChange<Argument>(
  run: (connection: Connection, argument: Argument, nowMs: number) => OrganizationRow,
) {
  return coded({ side: "write", encode: asIs<Argument>, run, decode: decodeOrganization });
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
    policy: parsePolicy(row.policy),
    limits: parseLimits(row.limits),
    createdAt: row.organizationCreatedAt,
  };
}

/** Every request reads its organization. */
const parsePolicy = remembering((text) => parseStored<OrganizationPolicy>(text, "policy of an organization"));
const parseLimits = remembering((text) => parseStored<OrganizationLimits>(text, "limits of an organization"));

/** An organization's row; throws an AccountError when there is none. */
export function needOrganization(connection: Connection, id: string): OrganizationRow {
  const row = selectOrganization(connection, { id });
  if (row === undefined) throw new AccountError(`There is no organization ${id}.`);
  return row;
}

function refuseTakenName(connection: Connection, name: string): void {
  if (selectOrganizationNamed(connection, { idOrName: name }) === undefined) return;
  throw new AccountError(`There is an organization named ${name} already.`);
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
  name: string;
  plan: number;
  paymentMethod: number;
  suspended: number;
  policy: string;
  limits: string;
}>(`
  update organizations
     set name           = :name,
         plan           = :plan,
         payment_method = :paymentMethod,
         suspended      = :suspended,
         policy         = :policy,
         limits         = :limits
   where id = :id`);
