// Where money stands in all organizations: their budgets, why they are blocked, and the last request that was rejected.
// docs/management.md
import Type, { type Static } from "typebox";
import { timeOf } from "../base/time.ts";
import { ERROR_CATALOGUE, type ErrorCode } from "../contract/errors.ts";
import { seconds } from "../contract/manage/resource-fields.ts";
import { OPERATOR } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { hasNoCredits } from "../core/access/entitlement.ts";
import { limitNow } from "../core/money/budgets.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { secondsOf } from "../ports/clock.ts";
import type { Organization } from "../ports/store/accounts.ts";
import type * as stored from "../ports/store/money.ts";
import { Budget, presentWithLimits } from "./budgets.ts";
import type { Context } from "./definition/context.ts";
import { pageSize, text } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;
/** Organizations that a request looks at, at most: its page ends there, filled or not. */
const READS_MAX = 2000;

const BLOCKS = ["suspended", "no_payment_method", "no_plan", "no_credits", "budget_used_up"] as const;

const OrganizationSpending = Type.Object({
  organization: Type.String(),
  organization_name: Type.String(),
  blocked_by: Type.Array(oneOf(BLOCKS), {
    description: "why turns of the whole organization are rejected",
  }),
  credits: Type.Number({ description: "the balance" }),
  held: Type.Number({ description: "reserved for running turns, not part of the balance" }),
  budgets: Type.Array(Budget),
  last_rejection: orNull(
    Type.Object({
      request_id: Type.String(),
      at: seconds,
      key: Type.String(),
      code: oneOf(Object.keys(ERROR_CATALOGUE) as ErrorCode[]),
    }),
    { description: "the newest of the rejected requests that are kept; null: none" },
  ),
});

const listSpending = operation({
  route: "GET /spending",
  roles: OPERATOR,
  summary: "List the budgets of all organizations, which are blocked, and their last rejected request",
  description:
    "In the order in which the organizations were created. To get the next page, send `next` as `after`; a page may have fewer organizations than `limit`.",
  command: {
    words: "spending",
    help: "list the budgets of all organizations, which are blocked and why, and their last rejected request",
    options: { after: { flags: "--after <organization>" } },
    show: ({ data }) =>
      data.map(
        ({ organization_name: organization, blocked_by: blockedBy, credits, budgets, last_rejection: last }) => ({
          organization,
          blocked_by: blockedBy.join(", "),
          credits,
          budgets: budgets
            .map(({ scope, period, spent, limit }) => `${scope} ${period}: ${spent} of ${limit}`)
            .join("; "),
          last_rejection: last === null ? null : `${timeOf(last.at)} ${last.code}`,
        }),
      ),
    whenEmpty: "No organization is blocked.",
  },
  input: {
    blocked: Type.Optional(Type.Boolean({ description: "`true`: only organizations that are blocked" })),
    limit: pageSize(PAGE_MAX, PAGE_DEFAULT),
    after: Type.Optional(text("the id of an organization: those after it")),
  },
  output: {
    SpendingPage: Type.Object({
      data: Type.Array(OrganizationSpending),
      has_more: Type.Boolean(),
      next: orNull(Type.String(), { description: "the `after` of the next page; null: this is the last one" }),
    }),
  },
  async run(context, { blocked: onlyBlocked = false, limit, after }) {
    const organizations = await context.store.listOrganizations();
    const first = after === undefined ? 0 : organizations.findIndex(({ id }) => id === after) + 1;
    const data: Static<typeof OrganizationSpending>[] = [];
    const end = Math.min(organizations.length, first + READS_MAX);
    let read = first;
    for (; read < end && data.length < limit; read++) {
      const organization = organizations[read];
      if (organization === undefined) break;
      // oxlint-disable-next-line no-await-in-loop -- one after the other: requests are served meanwhile
      const spending = await readSpending(context, organization);
      if (!onlyBlocked || spending.blocked_by.length > 0) data.push(spending);
    }
    const next = read < organizations.length ? (organizations[read - 1]?.id ?? null) : null;
    return { data, has_more: next !== null, next };
  },
});

async function readSpending(
  { store, nowMs }: Context,
  organization: Organization,
): Promise<Static<typeof OrganizationSpending>> {
  const { id: organizationId, name, creditsNano, heldNano } = organization;
  const budgets = await store.listBudgets({ organizationId });
  const [last] = await store.listRejections({ organizationId, memberId: null, before: null, limit: 1 });
  return {
    organization: organizationId,
    organization_name: name,
    blocked_by: blocksOf(organization, budgets),
    credits: creditsAsNumber(creditsNano),
    held: creditsAsNumber(heldNano),
    budgets: budgets.map((budget) => presentWithLimits(budget, nowMs)),
    last_rejection:
      last === undefined
        ? null
        : { request_id: last.requestId, at: secondsOf(last.atMs), key: last.keyId, code: last.code },
  };
}

function blocksOf(organization: Organization, budgets: readonly stored.Budget[]): (typeof BLOCKS)[number][] {
  const { suspended, paymentMethod, plan, creditsNano, heldNano } = organization;
  const isUsedUp = (budget: stored.Budget) =>
    (budget.scope === "organization" || budget.scope === "organization-day") && budget.spentNano >= limitNow(budget);
  const blocks = {
    suspended,
    no_payment_method: !paymentMethod,
    no_plan: !plan,
    no_credits: hasNoCredits({ creditsNano, heldNano }),
    budget_used_up: budgets.some(isUsedUp),
  };
  return BLOCKS.filter((block) => blocks[block]);
}

export const SPENDING = {
  tag: "Money",
  operations: { listSpending },
} as const satisfies Subject;
