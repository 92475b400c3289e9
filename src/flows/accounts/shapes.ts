// How accounts are shown, by the command line and the management interface alike. Times are Unix seconds, credits are numbers.
import { creditsAsNumber } from "../../core/accounts/credits.ts";
import type { CatalogModel } from "../../core/catalog.ts";
import type { ApiKey, Member, Organization } from "../../ports/accounts.ts";
import type { AuditEntry } from "../../ports/audit.ts";
import type { AdminToken } from "../../ports/management.ts";

/** An organization; `suspended` only when it is. */
export function showOrganization(organization: Organization) {
  const { id, name, plan, paymentMethod, suspended, creditsNano, policy, limits } = organization;
  return {
    id,
    name,
    plan,
    payment_method: paymentMethod,
    credits: creditsAsNumber(creditsNano),
    policy: {
      allow_models: policy.allowModels,
      deny_models: policy.denyModels,
      tool_calls_per_turn: policy.toolCallsPerTurn,
    },
    limits: {
      create_per_minute: limits.createPerMinute,
      retrieve_per_minute: limits.retrievePerMinute,
      delete_per_minute: limits.deletePerMinute,
      open_streams: limits.openStreams,
    },
    ...(suspended ? { suspended } : {}),
  };
}

export function showMember({ id, email, role }: Member) {
  return { id, email, role };
}

/** A key without its secret. */
export function showKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    member: key.memberId,
    permissions: key.permission,
    created: key.createdAt,
    revoked_at: key.revokedAt,
  };
}

/** A token without its secret. */
export function showToken({ id, name, organizationId, role, createdAt, revokedAt }: AdminToken) {
  return {
    id,
    name,
    organization: organizationId,
    role: role ?? "operator",
    created: createdAt,
    revoked_at: revokedAt,
  };
}

export function showAuditEntry({ organizationId, atMs, by, ...entry }: AuditEntry) {
  const { id, action, target, before, after, hash } = entry;
  const at = Math.floor(atMs / 1000);
  return { id, organization: organizationId, at, actor: { ...by }, action, target, before, after, hash };
}

/** A model under the names of turngate.yaml. */
export function showModel(model: CatalogModel) {
  const { id, provider, upstreamModel, settings, contextWindow, maxOutputTokens, defaultOutputTokens } = model;
  return {
    id,
    provider,
    upstream_model: upstreamModel,
    group: [...settings],
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    default_output_tokens: defaultOutputTokens,
    thinking: showThinking(model.thinking),
    forced_tool_choice: model.forcedToolChoice,
    prices: showPrices(model),
    owned_by: model.ownedBy,
    created: model.created,
  };
}

function showPrices({ prices, tiers }: CatalogModel) {
  if (tiers === undefined) return prices;
  return { ...prices, tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...tier.prices })) };
}

function showThinking(thinking: CatalogModel["thinking"]): string | number {
  if (thinking === "none") return thinking;
  return "effort" in thinking ? thinking.effort : thinking.budgetTokens;
}
