// How long an organization keeps its histories. docs/decisions/retention.md
import Type, { type Static } from "typebox";
import { invalidInput } from "../contract/errors.ts";
import type { ServiceLimits } from "../contract/limits.ts";
import { RETENTION_DAYS_MAX } from "../contract/manage/limits.ts";
import { EVERYBODY, OWNER } from "../contract/manage/roles.ts";
import { orNull } from "../contract/or-null.ts";
import { effectiveRetention, type RetentionBounds } from "../core/history/retention.ts";
import type { Context } from "./context.ts";
import { ORG } from "./fields.ts";
import { operation, type Subject } from "./operation.ts";
import { changeOrganization } from "./organizations.ts";

const Retention = Type.Object({
  days: orNull(Type.Integer({ description: "the organization's own setting" })),
  service_days: orNull(Type.Integer({ description: "the longest that the service keeps any history" })),
  effective_days: orNull(
    Type.Integer({ description: "days after its last use a history is deleted, the shorter of the two; null: never" }),
  ),
});

function presentRetention(days: number | null, { limits }: Pick<Context, "limits">): Static<typeof Retention> {
  const serviceDays = limits.retention_days;
  return { days, service_days: serviceDays, effective_days: effectiveRetention(days, serviceDays) };
}

const setRetention = operation({
  route: "POST /organizations/:organization_id/retention",
  roles: OWNER,
  summary: "Set how long histories are kept",
  description:
    "A history is deleted, and its content erased, that many days after the last turn or the last added item. It cannot be kept longer than the service does, nor shorter than an `Idempotency-Key`: 400 `invalid_input`.",
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
    await changeOrganization(context, { retentionDays: days });
    return presentRetention(days, context);
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
  run: async (context) => presentRetention(context.organization.retentionDays, context),
});

export const RETENTION = {
  tag: "Organizations",
  operations: { showRetention, setRetention },
} as const satisfies Subject;
