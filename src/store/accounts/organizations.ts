// Organizations: their plan, limits, policy and credits. @spec authentication
import {
  AccountError,
  type AccountStore,
  NO_POLICY,
  NO_RULES,
  type Organization,
  type OrganizationRules,
} from "../../ports/store/accounts.ts";
import { NO_LIMITS, nameLimits } from "../../ports/store/limits.ts";
import { creditsAsNumber } from "../../core/money/credits.ts";
import { definedOf } from "../../base/defined.ts";
import type { AuditAction } from "../../contract/manage/audit-actions.ts";
import type { AuditValues } from "../../ports/store/audit.ts";
import { rulesOf } from "../../ports/store/rules-of.ts";
import { record } from "./audit.ts";
import { changeRules } from "./rules.ts";
import {
  decodeOrganization,
  ORGANIZATION_COLUMNS,
  ORGANIZATION_TABLES,
  type OrganizationRow,
} from "./organization-row.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { openAccounts, postTopUp } from "../money/ledger.ts";
import { decodedProcedure, plainProcedure } from "../engine/procedure.ts";
import { lock, many, one, write } from "../engine/statement.ts";

/** AccountStore.createOrganization. */
export const createOrganization = plainProcedure("write", insertNewOrganization);

/** Inserts an organization whose name is free. */
export function* insertNewOrganization(
  tx: Transaction,
  create: OrganizationCreation,
  atMs: number,
): Steps<Organization> {
  const { by, id, name, createdAt, credits } = create;
  yield* assertNameFree(tx, name);
  yield* insertOrganization(tx, {
    id,
    name,
    policy: JSON.stringify(NO_POLICY),
    limits: JSON.stringify(NO_LIMITS),
    createdAt,
  });
  yield* openAccounts(tx, { organizationId: id });
  yield* record(tx, {
    by,
    atMs,
    organizationId: id,
    action: "organization.create",
    target: null,
    after: { name },
  });
  if (credits === undefined) return yield* getOrganization(tx, id);
  yield* update(tx, { by, organizationId: id, plan: true, paymentMethod: true }, atMs);
  return yield* topUp(tx, { by, organizationId: id, ...credits, createdAt }, atMs);
}

type OrganizationCreation = Parameters<AccountStore["createOrganization"]>[0];

/** AccountStore.listOrganizations. */
export const listOrganizations = decodedProcedure(
  "point",
  (tx) => selectOrganizations(tx, {}),
  (rows) => rows.map(decodeOrganization),
);

/** AccountStore.findOrganization. */
export const findOrganization = decodedProcedure(
  "point",
  (tx, query: { idOrName: string }) => selectOrganizationNamed(tx, query),
  (row) => (row === undefined ? null : decodeOrganization(row)),
);

type OrganizationUpdate = Parameters<AccountStore["updateOrganization"]>[0];

/** AccountStore.updateOrganization. */
export const updateOrganization = plainProcedure("write", update);

function* update(
  tx: Transaction,
  { by, organizationId, setBy = "organization", policy, limits, retentionDays, ...given }: OrganizationUpdate,
  atMs: number,
): Steps<Organization> {
  yield* lockOrganization(tx, { organizationId });
  const before = yield* getOrganization(tx, organizationId);
  const { paymentMethod = before.paymentMethod, plan = before.plan && paymentMethod } = given;
  // A plan stops with its payment method, and starts with one alone.
  if (plan && !paymentMethod) throw new AccountError("A plan needs a payment method: put one on file first.");
  const after: Organization = {
    ...before,
    ...given,
    plan,
    paymentMethod,
    ...changeRules(before, setBy, definedOf({ policy, limits, retentionDays })),
  };
  if (after.name !== before.name) yield* assertNameFree(tx, after.name);
  yield* updateOrganizationRow(tx, {
    ...after,
    plan: Number(after.plan),
    paymentMethod: Number(after.paymentMethod),
    suspended: Number(after.suspended),
    policy: JSON.stringify(after.policy),
    limits: JSON.stringify(after.limits),
    rules: after.rules === NO_RULES ? null : JSON.stringify(after.rules),
  });
  for (const { action, values } of CHANGES) {
    yield* record(tx, {
      by,
      atMs,
      organizationId,
      action: action(after),
      target: null,
      before: values(before),
      after: values(after),
    });
  }
  const rulesBefore = rulesOf(before, setBy);
  const rulesAfter = rulesOf(after, setBy);
  for (const { action, values } of RULE_CHANGES) {
    const change = { before: values(rulesBefore), after: values(rulesAfter), setBy };
    yield* record(tx, { by, atMs, organizationId, action, target: null, ...change });
  }
  return yield* getOrganization(tx, organizationId);
}

/** The parts of an organization that an update may change; the audit log records each as a change of its own. */
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
];

const RULE_CHANGES: readonly {
  readonly action: AuditAction;
  readonly values: (rules: OrganizationRules) => AuditValues;
}[] = [
  {
    action: "policy.set",
    values: ({ policy }) => ({
      allow_models: policy.allowModels,
      deny_models: policy.denyModels,
      tool_calls_per_turn: policy.toolCallsPerTurn,
    }),
  },
  { action: "limits.set", values: ({ limits }) => nameLimits(limits) },
  { action: "retention.set", values: ({ retentionDays }) => ({ days: retentionDays }) },
];

/** AccountStore.addCredits. */
export const addCredits = plainProcedure("write", topUp);

type TopUp = Parameters<AccountStore["addCredits"]>[0];

function* topUp(tx: Transaction, add: TopUp, atMs: number): Steps<Organization> {
  const { by, transactionId, organizationId, amountNano } = add;
  yield* getOrganization(tx, organizationId);
  if (yield* postTopUp(tx, add)) {
    yield* record(tx, {
      by,
      atMs,
      organizationId,
      action: "credits.add",
      target: transactionId,
      after: { amount: creditsAsNumber(amountNano) },
    });
  }
  return yield* getOrganization(tx, organizationId);
}

/** An organization that is there and not deleted; throws an AccountError otherwise. */
export function* getOrganization(tx: Transaction, id: string): Steps<Organization> {
  const organization = yield* getAnyOrganization(tx, id);
  if (organization.deletedAtMs !== null) throw new AccountError(`The organization ${id} has been deleted.`);
  return organization;
}

/** An organization, deleted or not; throws an AccountError when there is none. */
export function* getAnyOrganization(tx: Transaction, id: string): Steps<Organization> {
  const row = yield* selectOrganization(tx, { id });
  if (row === undefined) throw new AccountError(`There is no organization ${id}.`);
  return decodeOrganization(row);
}

function* assertNameFree(tx: Transaction, name: string): Steps<void> {
  if ((yield* selectOrganizationNamed(tx, { idOrName: name })) === undefined) return;
  throw new AccountError(`An organization named ${name} already exists.`);
}

/** Lets no other transaction change an organization or its members. */
export const lockOrganization = lock<{ organizationId: string }>(`
  select id from organizations where id = :organizationId`);

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
   where o.deleted_at_ms is null
   order by o.created_at, o.rowid`);

const insertOrganization = write<{ id: string; name: string; policy: string; limits: string; createdAt: number }>(`
  insert into organizations (id, name, policy, limits, created_at)
  values (:id, :name, :policy, :limits, :createdAt)`);

const updateOrganizationRow = write<
  Pick<Organization, "id" | "name"> &
    Pick<OrganizationRow, "plan" | "paymentMethod" | "suspended" | "retentionDays" | "policy" | "limits" | "rules">
>(`
  update organizations
     set name           = :name,
         plan           = :plan,
         payment_method = :paymentMethod,
         suspended      = :suspended,
         retention_days = :retentionDays,
         policy         = :policy,
         limits         = :limits,
         rules          = :rules
   where id = :id`);
