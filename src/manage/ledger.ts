// The double-entry ledger of all credits, and the check of the books. docs/management.md
import Type, { type Static } from "typebox";
import { notFound } from "../contract/errors.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, TRANSFERS_READ_MAX } from "../contract/manage/limits.ts";
import { olderPage, seconds } from "../contract/manage/resource-fields.ts";
import { MANAGERS, OPERATOR } from "../contract/manage/roles.ts";
import { LEDGER_ACCOUNTS, TRANSFER_KINDS } from "../contract/money.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import type * as stored from "../ports/store/money.ts";
import { olderPages, ORG_OPTION } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

export const Transfer = Type.Object({
  id: Type.Integer({ description: "a sequence number over the whole ledger" }),
  at: seconds,
  kind: oneOf(TRANSFER_KINDS),
  from: oneOf(LEDGER_ACCOUNTS),
  to: oneOf(LEDGER_ACCOUNTS),
  amount: Type.Number({ description: "credits" }),
  response: orNull(Type.String({ description: "null: a top-up" })),
  transaction_id: orNull(Type.String({ description: "of a top-up" })),
});

export function presentTransfer(transfer: stored.Transfer): Static<typeof Transfer> {
  const { id, createdAt, kind, from, to, amountNano, responseId, transactionId } = transfer;
  const amount = creditsAsNumber(amountNano);
  return { id, at: createdAt, kind, from, to, amount, response: responseId, transaction_id: transactionId };
}

const listTransfers = operation({
  route: "GET /organizations/:organization_id/ledger",
  isLong: true,
  roles: MANAGERS,
  summary: "List the transfers of the organization's ledger, newest first",
  description:
    "A top-up moves credits from `topups` to `credits`, a hold from `credits` to `held`, a settlement from `held` to `charged`, and what is left back to `credits`. A page reads a limited number of the service's transfers: it may have fewer than `limit`, or none, while `has_more` is true.",
  command: {
    words: "ledger list",
    help: "list the transfers of an organization, newest first",
    options: { kind: { flags: "--top-ups" } },
    whenEmpty: "There is no transfer yet.",
  },
  input: {
    kind: Type.Optional(oneOf(["topup"], "only top-ups")),
    ...olderPages(AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT),
  },
  output: { TransferPage: olderPage(Transfer) },
  async run({ store, organization }, { kind: only = null, limit, before = null }) {
    const page = { organizationId: organization.id, only, before, limit, readsMax: TRANSFERS_READ_MAX };
    const { transfers, next } = await store.listTransfers(page);
    return { data: transfers.map(presentTransfer), has_more: next !== null, older: next };
  },
});

export const LEDGER = {
  tag: "Money",
  about: "the double-entry ledger of all credits",
  operations: { listTransfers },
} as const satisfies Subject;

/** Amounts are decimal strings, since they may exceed the integers that a number can hold. */
const reconcile = operation({
  route: "GET /reconciliation",
  roles: OPERATOR,
  summary: "Recompute all balances and compare",
  description: "Amounts are nano-credits.",
  command: {
    words: "ledger check",
    help: "derive balances, holds, charges, budgets and usage and compare; exits non-zero on any difference (amounts in nano-credits)",
    options: { organization_id: ORG_OPTION },
    show: ({ differences, organizations, transfers, responses, budget_periods: periods }) =>
      differences.length > 0
        ? differences
        : `The books agree. Organizations: ${organizations}, transfers: ${transfers}, responses: ${responses}, budget periods: ${periods}.`,
    failure: ({ differences_found: found }) => (found === 0 ? null : `the books do not agree: differences: ${found}.`),
  },
  input: { organization_id: Type.Optional(Type.String({ description: "only this organization" })) },
  output: {
    Reconciliation: Type.Object({
      organizations: Type.Integer(),
      transfers: Type.Integer(),
      responses: Type.Integer(),
      budget_periods: Type.Integer(),
      differences_found: Type.Integer({ description: "0: the books agree" }),
      differences: Type.Array(
        Type.Object({
          organization: Type.String(),
          compared: Type.String(),
          of: orNull(Type.String()),
          recorded: Type.String({ description: "nano-credits, or a count" }),
          expected: Type.String(),
        }),
      ),
    }),
  },
  errors: ["resource_not_found"],
  async run({ store }, { organization_id: organizationId = null }) {
    const organization = organizationId === null ? null : await store.findOrganization({ idOrName: organizationId });
    if (organizationId !== (organization?.id ?? null)) throw notFound();
    const { organizations, transfers, responses, budgetPeriods, differencesFound, differences } = await store.reconcile(
      { organizationId },
    );
    return {
      organizations,
      transfers,
      responses,
      budget_periods: budgetPeriods,
      differences_found: differencesFound,
      differences: differences.map(({ organizationId: id, compared, of, recorded, expected }) => ({
        organization: id,
        compared,
        of,
        recorded: String(recorded),
        expected: String(expected),
      })),
    };
  },
});

export const BOOKS = { tag: "Platform", operations: { reconcile } } as const satisfies Subject;
