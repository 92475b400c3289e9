// Rows of organizations, and their decoding.
import {
  NO_RULES,
  type Organization,
  type OrganizationPolicy,
  type RulesBySetter,
} from "../../ports/store/accounts.ts";
import { NO_LIMITS, type OrganizationLimits } from "../../ports/store/limits.ts";
import { memoize } from "../engine/read-cache.ts";
import { parseStored } from "../engine/stored-json.ts";

/** An organization's row; its amounts are texts, because they may exceed the safe integers of a number. */
export interface OrganizationRow {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly plan: number;
  readonly paymentMethod: number;
  readonly suspended: number;
  readonly retentionDays: number | null;
  readonly policy: string;
  readonly limits: string;
  readonly rules: string | null;
  readonly organizationCreatedAt: number;
  readonly deletedAtMs: number | null;
  readonly erasedAtMs: number | null;
  readonly credits: string;
  readonly held: string;
}

/** The columns of OrganizationRow, for a select from ORGANIZATION_TABLES. */
export const ORGANIZATION_COLUMNS = `
         o.id                            as organizationId,
         o.name                          as organizationName,
         o.plan,
         o.payment_method                as paymentMethod,
         o.suspended,
         o.retention_days                as retentionDays,
         o.policy,
         o.limits,
         o.rules,
         o.created_at                    as organizationCreatedAt,
         o.deleted_at_ms                 as deletedAtMs,
         o.erased_at_ms                  as erasedAtMs,
         cast(b.credits_nano as text)    as credits,
         cast(b.held_nano as text)       as held`;

/** The tables of ORGANIZATION_COLUMNS. */
export const ORGANIZATION_TABLES = `organizations o
    join balances b on b.organization_id = o.id`;

/** Decodes an organization's row. */
export function decodeOrganization(row: OrganizationRow): Organization {
  return {
    id: row.organizationId,
    name: row.organizationName,
    plan: row.plan === 1,
    paymentMethod: row.paymentMethod === 1,
    suspended: row.suspended === 1,
    retentionDays: row.retentionDays,
    creditsNano: BigInt(row.credits),
    heldNano: BigInt(row.held),
    policy: parsePolicy(row.policy),
    limits: parseLimits(row.limits),
    rules: row.rules === null ? NO_RULES : parseRules(row.rules),
    createdAt: row.organizationCreatedAt,
    deletedAtMs: row.deletedAtMs,
    erasedAtMs: row.erasedAtMs,
  };
}

/** Memoized, because every request reads its organization. */
const parsePolicy = memoize((text) => parseStored<OrganizationPolicy>(text, "policy of an organization"));
const parseRules = memoize((text) => parseStored<RulesBySetter>(text, "rules of an organization"));
/** A row that was written by an earlier version lacks the limits that came later. */
const parseLimits = memoize((text) => ({
  ...NO_LIMITS,
  ...parseStored<Partial<OrganizationLimits>>(text, "limits of an organization"),
}));
