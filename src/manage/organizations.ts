// Organizations, which own members, keys, credits and histories. docs/management.md
import Type, { type Static } from "typebox";
import { definedOf } from "../base/defined.ts";
import { invalidInput } from "../contract/errors.ts";
import { EVERYBODY, OPERATOR, OWNER } from "../contract/manage/roles.ts";
import { orNull } from "../contract/shapes.ts";
import { time } from "../contract/manage/resource-fields.ts";
import { readOrganizationName } from "../core/access/account-fields.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { readAmount } from "../flows/accounts/amounts.ts";
import { nowSeconds, secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/accounts.ts";
import { nameLimits } from "../ports/store/limits.ts";
import { setterOf } from "./ceilings.ts";
import { credits, list, ORG, text } from "./fields.ts";
import type { OrganizationContext } from "./definition/context.ts";
import { operation, type Subject } from "./definition/operation.ts";

const Policy = {
  allow_models: orNull(Type.Array(Type.String())),
  deny_models: Type.Array(Type.String()),
  tool_calls_per_turn: orNull(Type.Integer()),
};
const Limits = {
  create_per_minute: orNull(Type.Integer()),
  retrieve_per_minute: orNull(Type.Integer()),
  delete_per_minute: orNull(Type.Integer()),
  tokens_per_minute: orNull(Type.Integer()),
  open_streams: orNull(Type.Integer()),
  concurrent_turns: orNull(Type.Integer()),
};
const Rules = {
  policy: Type.Optional(Type.Object(Policy)),
  limits: Type.Optional(Type.Object(Limits)),
  retention_days: Type.Optional(orNull(Type.Integer())),
};

export const Organization = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plan: Type.Boolean(),
  payment_method: Type.Boolean(),
  credits: Type.Number({ description: "the balance" }),
  held: Type.Number({ description: "reserved for running turns, not part of the balance" }),
  policy: Type.Object(Policy, {
    description: "in force: the tighter of what the operator and the organization have set",
  }),
  limits: Type.Object(Limits, { description: "in force, as the policy; null: the service's" }),
  ceilings: Type.Optional(Type.Object(Rules, { description: "what the operator has set, if anything" })),
  own: Type.Optional(Type.Object(Rules, { description: "what owners and admins have set, if anything" })),
  suspended: Type.Optional(Type.Boolean({ description: "present only if true" })),
  deleted_at: Type.Optional(time("present only of a deleted organization, Unix seconds")),
  erased_at: Type.Optional(orNull(time("when nothing of it was left to erase, Unix seconds; null: not yet"))),
});

/** `suspended` is present only when true, `deleted_at` and `erased_at` only of a deleted organization. */
export function presentOrganization(organization: stored.Organization): Static<typeof Organization> {
  const { id, name, plan, paymentMethod, suspended, creditsNano, heldNano, rules, deletedAtMs, erasedAtMs } =
    organization;
  return {
    id,
    name,
    plan,
    payment_method: paymentMethod,
    credits: creditsAsNumber(creditsNano),
    held: creditsAsNumber(heldNano),
    policy: presentPolicy(organization.policy),
    limits: nameLimits(organization.limits),
    ...definedOf({ ceilings: presentRules(rules.operator), own: presentRules(rules.organization) }),
    ...(suspended ? { suspended } : {}),
    ...(deletedAtMs === null
      ? {}
      : { deleted_at: secondsOf(deletedAtMs), erased_at: erasedAtMs === null ? null : secondsOf(erasedAtMs) }),
  };
}

/** What one side has set; undefined: nothing. */
function presentRules({ policy, limits, retentionDays }: Partial<stored.OrganizationRules>) {
  if (policy === undefined && limits === undefined && retentionDays === undefined) return undefined;
  return definedOf({
    policy: policy && presentPolicy(policy),
    limits: limits && nameLimits(limits),
    retention_days: retentionDays,
  });
}

function presentPolicy({ allowModels, denyModels, toolCallsPerTurn }: stored.OrganizationPolicy) {
  return {
    allow_models: allowModels && [...allowModels],
    deny_models: [...denyModels],
    tool_calls_per_turn: toolCallsPerTurn,
  };
}

const options = { organization_id: ORG };
const name = text("the unique name of the organization");

const createOrganization = operation({
  route: "POST /organizations",
  roles: OPERATOR,
  summary: "Create an organization",
  description:
    "With `credits`, the organization also gets a plan and a payment method and can send requests at once; without, it has none of them.",
  command: { words: "orgs create", createsStore: true },
  input: {
    name,
    credits: Type.Optional(
      credits(
        "initial credits, in steps of a millionth; if given, the organization also gets a plan and a payment method",
        0,
      ),
    ),
  },
  output: { Organization },
  async run(context, { name: given, credits: amount }) {
    const creditsNano = amount === undefined ? undefined : readAmount("credits", amount);
    return presentOrganization(await addOrganization(context, given, creditsNano));
  },
});

const listOrganizations = operation({
  route: "GET /organizations",
  roles: OPERATOR,
  summary: "List all organizations",
  command: {
    words: "orgs list",
    options: { deleted: { help: "the deleted ones instead, in the order of their deletion" } },
    whenEmpty: "There is no organization.",
  },
  input: {
    deleted: Type.Optional(
      Type.Boolean({ description: "`true`: the deleted organizations instead, in the order of their deletion" }),
    ),
  },
  output: { OrganizationList: list(Organization) },
  async run({ store }, { deleted }) {
    const listed = deleted ? store.listDeletedOrganizations({ onlyUnerased: false }) : store.listOrganizations();
    return { data: (await listed).map(presentOrganization) };
  },
});

const showOrganization = operation({
  route: "GET /organizations/:organization_id",
  roles: EVERYBODY,
  summary: "Show an organization",
  command: { words: "orgs show", options },
  output: { Organization },
  run: async ({ organization }) => presentOrganization(organization),
});

const renameOrganization = operation({
  route: "POST /organizations/:organization_id",
  roles: OWNER,
  summary: "Rename an organization",
  command: { words: "orgs rename", options },
  input: { name },
  body: { name: "NameBody" },
  output: { Organization },
  run: async (context, { name: given }) => changeOrganization(context, { name: readOrganizationName(given) }),
});

const suspendOrganization = operation({
  route: "POST /organizations/:organization_id/suspend",
  roles: OPERATOR,
  summary: "Suspend an organization",
  description: "Its requests under /v1 get 403 `access_denied` until it is resumed.",
  command: {
    words: "orgs suspend",
    help: "reject every request of an organization (403 access_denied) until it is resumed",
    options,
  },
  output: { Organization },
  run: (context) => changeOrganization(context, { suspended: true }),
});

const resumeOrganization = operation({
  route: "POST /organizations/:organization_id/resume",
  roles: OPERATOR,
  summary: "Resume a suspended organization",
  command: { words: "orgs resume", options },
  output: { Organization },
  run: (context) => changeOrganization(context, { suspended: false }),
});

/** Its access ends at once; its content is erased in the background. docs/decisions/organization-deletion.md */
const deleteOrganization = operation({
  route: "POST /organizations/:organization_id/delete",
  roles: OPERATOR,
  summary: "Delete an organization and its data, permanently",
  description:
    "Its keys, tokens and sessions are invalid at once, and its running turns are cancelled. Then its content is erased; `erased_at` is the time when that was done. The ledger, the usage and the log of turns keep ids and figures, the audit log its entries without values. Later changes of it are a 400. There is no undelete.",
  command: {
    words: "orgs delete",
    help: "delete an organization and its data, permanently; `orgs export-data` saves it first",
    options: { ...options, confirm: { flags: "--confirm <name>" } },
  },
  input: { confirm: text("the name of the organization, exactly as it is shown") },
  output: { Organization },
  async run({ store, by, organization, afterDeletion }, { confirm }) {
    const { id: organizationId, name: own, deletedAtMs } = organization;
    if (deletedAtMs === null && confirm !== own)
      throw invalidInput(
        "confirm",
        "confirm is not the organization's name; allowed: its name, exactly as it is shown.",
      );
    const deleted = deletedAtMs === null ? await store.deleteOrganization({ by, organizationId }) : organization;
    return presentOrganization(await afterDeletion(deleted));
  },
});

/**
 * Creates an organization without plan, payment method and credits; with an amount of credits it has all three and can
 * be used at once. Throws 400 `invalid_input` for an invalid name.
 */
export function addOrganization(
  { store, by, mintAccountId, clock }: AdminContext,
  given: string,
  creditsNano?: bigint,
): Promise<stored.Organization> {
  const made = { id: mintAccountId("organization"), name: readOrganizationName(given), createdAt: nowSeconds(clock) };
  if (creditsNano === undefined) return store.createOrganization({ by, ...made });
  const initial = { transactionId: mintAccountId("transaction"), amountNano: creditsNano };
  return store.createOrganization({ by, ...made, credits: initial });
}

type Change = Omit<
  Parameters<OrganizationContext["store"]["updateOrganization"]>[0],
  "by" | "organizationId" | "setBy"
>;

/** Changes settings of the organization, rules as those of the caller; resolves to its reply. */
export async function changeOrganization(context: OrganizationContext, change: Change) {
  const { store, by, organization } = context;
  const update = { by, organizationId: organization.id, setBy: setterOf(context), ...change };
  return presentOrganization(await store.updateOrganization(update));
}

/** In the order of their commands. */
export const ORGANIZATIONS = {
  tag: "Organizations",
  about: "organizations, which own members, keys, credits and histories",
  operations: {
    createOrganization,
    listOrganizations,
    showOrganization,
    renameOrganization,
    suspendOrganization,
    resumeOrganization,
    deleteOrganization,
  },
} as const satisfies Subject;
