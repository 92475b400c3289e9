// How long an organization keeps its histories. docs/decisions/retention.md
import Type, { type Static } from "typebox";
import { invalidInput } from "../contract/errors.ts";
import type { ServiceLimits } from "../contract/limits.ts";
import { RETENTION_DAYS_MAX } from "../contract/manage/limits.ts";
import { EVERYBODY, OWNER } from "../contract/manage/roles.ts";
import { orNull } from "../contract/shapes.ts";
import { effectiveRetention, type RetentionBounds } from "../core/history/retention.ts";
import type * as stored from "../ports/store/accounts.ts";
import { rulesOf } from "../ports/store/rules-of.ts";
import { assertRetentionWithin, setterOf } from "./ceilings.ts";
import type { Context } from "./definition/context.ts";
import { ORG } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

const Retention = Type.Object({
  days: orNull(Type.Integer({ description: "the organization's own setting" })),
  operator_days: Type.Optional(
    Type.Integer({ description: "the longest that the operator lets this organization keep one; absent: not set" }),
  ),
  service_days: orNull(Type.Integer({ description: "the longest that the service keeps any history" })),
  effective_days: orNull(
    Type.Integer({ description: "days after its last use a history is deleted, the shortest of them; null: never" }),
  ),
});

function presentRetention(
  organization: stored.Organization,
  { limits: { retention_days: service_days } }: Pick<Context, "limits">,
): Static<typeof Retention> {
  const operatorDays = organization.rules.operator.retentionDays ?? null;
  return {
    days: rulesOf(organization, "organization").retentionDays,
    ...(operatorDays === null ? {} : { operator_days: operatorDays }),
    service_days,
    effective_days: effectiveRetention(organization.retentionDays, service_days),
  };
}

const setRetention = operation({
  route: "POST /organizations/:organization_id/retention",
  roles: OWNER,
  summary: "Set how long histories are kept",
  description:
    "A history is deleted, and its content erased, that many days after the last turn or the last added item. It cannot be kept longer than the service does, nor shorter than an `Idempotency-Key`: 400 `invalid_input`. What the operator sets is a ceiling: an owner may set a shorter time, and gets 403 `access_denied` for a longer one.",
  input: {
    days: orNull(Type.Integer({ minimum: 1, maximum: RETENTION_DAYS_MAX }), {
      description: "days after its last use a history is deleted; null: the service's setting",
    }),
  },
  output: { Retention },
  async run(context, { days }) {
    const { minimum, maximum } = retentionBounds(context.limits);
    if (days !== null && (days < minimum || days > maximum)) {
      throw invalidInput(
        "days",
        `days is ${days}; allowed: ${minimum} to ${maximum}, or null for the service's retention.`,
      );
    }
    assertRetentionWithin(context, days);
    const { store, by, organization } = context;
    const change = { by, organizationId: organization.id, retentionDays: days, setBy: setterOf(context) };
    return presentRetention(await store.updateOrganization(change), context);
  },
});

/** The fewest and the most days that an organization may keep its histories. */
export function retentionBounds(
  limits: Pick<ServiceLimits, "retention_days" | "idempotency_retention_hours">,
): RetentionBounds {
  const { retention_days: serviceDays, idempotency_retention_hours: hours } = limits;
  return { minimum: Math.max(1, Math.ceil(hours / 24)), maximum: serviceDays ?? RETENTION_DAYS_MAX };
}

const showRetention = operation({
  route: "GET /organizations/:organization_id/retention",
  roles: EVERYBODY,
  summary: "Show how long histories are kept",
  command: {
    words: "orgs retention",
    help: "show or set (--days) after how many days without use histories are deleted",
    options: { organization_id: ORG },
    variants: { days: { operation: setRetention, flags: "--days <number>", none: "default" } },
  },
  output: { Retention },
  run: async (context) => presentRetention(context.organization, context),
});

export const RETENTION = {
  tag: "Organizations",
  operations: { showRetention, setRetention },
} as const satisfies Subject;
