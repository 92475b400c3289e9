// What an organization may use: models, tool calls, and how much of the service. docs/management.md
import Type from "typebox";
import { definedOf } from "../base/defined.ts";
import { MANAGERS } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { ALLOWANCE_CLASSES } from "../contract/routes.ts";
import type { PolicyValues } from "../core/accounts-file/account-change.ts";
import { NO_RULES } from "../ports/store/accounts.ts";
import { NO_LIMITS, LIMIT_NAMES, limitsNamed } from "../ports/store/limits.ts";
import type * as stored from "../ports/store/accounts.ts";
import { assertLimitsWithin, assertPolicyWithin } from "./ceilings.ts";
import { countOrNull, modelIds, readModels, unknownModels } from "./limit-fields.ts";
import { limitsInForce, presentAllowances, presentLimits } from "./limits-now.ts";
import { operation, serviceOperation, type Subject } from "./definition/operation.ts";
import { changeOrganization, Organization } from "./organizations.ts";
import { PolicyTrial, tryPolicy as tryModelRules } from "./trials.ts";

const PARTIAL = { description: "Fields that are not given keep their values." };

const setPolicy = operation({
  route: "POST /organizations/:organization_id/policy",
  roles: MANAGERS,
  summary: "Change the model policy",
  description:
    "What the operator sets is a ceiling: owners and admins may allow less, and get 403 `access_denied` for more. The tighter rule of both is in force.",
  command: {
    words: "policy set",
    help: "set the given rules; the others stay",
    options: {
      allow_models: { flags: "--allow-model <id...>", none: "all" },
      deny_models: {
        flags: "--deny-model <id...>",
        help: "not these models; `none`: no model is denied",
        none: "none",
      },
      tool_calls_per_turn: { flags: "--tool-calls-per-turn <number>", none: "none" },
    },
    presets: {
      "--clear": {
        help: "remove all rules that are not given",
        sets: { allow_models: null, deny_models: [], tool_calls_per_turn: null },
      },
    },
    warn: ({ allow_models: allowed, deny_models: denied = [] }, call) =>
      unknownModels([...(allowed ?? []), ...denied], call),
  },
  input: {
    allow_models: Type.Optional(orNull(modelIds, { description: "only these models; null: all models" })),
    deny_models: Type.Optional(modelIds),
    tool_calls_per_turn: countOrNull(0, "maximum number of tool calls in a turn; null: no limit"),
  },
  body: PARTIAL,
  output: { Organization },
  async run(context, { allow_models: allow, deny_models: deny, ...rules }) {
    const catalog = await context.catalog();
    const models = definedOf({
      allow_models: allow && readModels("allow_models", allow, catalog),
      deny_models: deny && readModels("deny_models", deny, catalog),
    });
    const policy = policyOf({ ...rules, ...models });
    assertPolicyWithin(context, policy);
    return changeOrganization(context, { policy });
  },
});

/** The rules that are given; models by their full ids. */
export function policyOf(input: Partial<PolicyValues>): Partial<stored.OrganizationPolicy> {
  const { allow_models: allowModels, deny_models: denyModels, tool_calls_per_turn: toolCallsPerTurn } = input;
  return definedOf({ allowModels, denyModels, toolCallsPerTurn });
}

const models = (description: string) => Type.Optional(Type.String({ description }));

const tryPolicy = operation({
  route: "GET /organizations/:organization_id/policy/trial",
  isLong: true,
  roles: MANAGERS,
  summary: "Try a model policy on the last month",
  description: "The turns of the last 30 days on models that it would not have allowed. Nothing is changed.",
  command: {
    words: "policy try",
    help: "show which turns of the last 30 days a policy would have rejected; nothing is changed",
    options: {
      allow_models: {
        flags: "--allow-model <id...>",
        help: "only these models would be allowed (default: all)",
        none: "all",
      },
      deny_models: {
        flags: "--deny-model <id...>",
        help: "these models would be denied (default: none)",
        none: "none",
      },
    },
    whenEmpty: "It would have rejected none.",
  },
  input: {
    allow_models: models("the models that would be allowed, separated by commas; all if not given"),
    deny_models: models("the models that would be denied, separated by commas; none if not given"),
  },
  output: {
    PolicyTrial,
  },
  async run(context, { allow_models: allow, deny_models: deny = "" }) {
    const catalog = await context.catalog();
    const allowModels = allow === undefined ? null : readModels("allow_models", namesIn(allow), catalog);
    const denyModels = readModels("deny_models", namesIn(deny), catalog);
    return tryModelRules(context, context.organization.id, { allowModels, denyModels });
  },
});

function namesIn(written: string): readonly string[] {
  return written === "" ? [] : written.split(",");
}

export const POLICY = {
  tag: "Organizations",
  about: "the models and tool calls an organization may use",
  operations: { tryPolicy, setPolicy },
} as const satisfies Subject;

const LIMIT = { none: "default" };

const setLimits = operation({
  route: "POST /organizations/:organization_id/limits",
  roles: MANAGERS,
  summary: "Change the organization's limits",
  description:
    "What the operator sets, or the service where the operator has set nothing, is a ceiling: owners and admins may set lower limits, and get 403 `access_denied` for higher ones.",
  command: {
    words: "limits set",
    help: "set the given limits, or restore the service's with `default`; the others stay",
    options: {
      create_per_minute: LIMIT,
      retrieve_per_minute: LIMIT,
      delete_per_minute: LIMIT,
      tokens_per_minute: LIMIT,
      open_streams: LIMIT,
      concurrent_turns: LIMIT,
    },
  },
  input: {
    create_per_minute: countOrNull(1, "create requests per minute; null: the limit of the service"),
    retrieve_per_minute: countOrNull(1, "retrieve requests per minute; null: the limit of the service"),
    delete_per_minute: countOrNull(1, "delete and cancel requests per minute; null: the limit of the service"),
    tokens_per_minute: countOrNull(1, "tokens of input and output per minute; null: no limit"),
    open_streams: countOrNull(0, "streams open at the same time; null: the limit of the service"),
    concurrent_turns: countOrNull(
      1,
      "turns at once on each node, running and queued ones; null: the share of one organization",
    ),
  },
  body: PARTIAL,
  output: { Organization },
  async run(context, limits) {
    const { organization } = context;
    const service = presentLimits(context.limits, { ...organization, limits: NO_LIMITS, rules: NO_RULES });
    assertLimitsWithin(context, LIMIT_NAMES, limits, service);
    return changeOrganization(context, { limits: limitsNamed(limits) });
  },
});

const showLimits = serviceOperation({
  route: "GET /organizations/:organization_id/limits",
  roles: MANAGERS,
  summary: "Show the limits in force, and their use on the answering node",
  description: "Does not count against any rate limit.",
  output: {
    LimitsNow: Type.Object({
      limits: Type.Object(limitsInForce, {
        description:
          "Those in force: the organization's own, or the service's. All but `concurrent_turns` count on all nodes together.",
      }),
      this_node: Type.Object(
        {
          allowances: Type.Array(
            Type.Object({
              class: oneOf(ALLOWANCE_CLASSES),
              used: Type.Integer({
                description:
                  "requests that still count against the limit; with several nodes, as far as this node knows",
              }),
              full_in_seconds: Type.Number(),
            }),
          ),
          open_streams: Type.Integer(),
          turns: Type.Integer({ description: "turns that run or are queued" }),
        },
        { description: "On the node that answers." },
      ),
    }),
  },
  async run({ services, organization }) {
    const { capacity, limits } = services;
    const allowances = presentAllowances(services, organization);
    return {
      limits: presentLimits(limits, organization),
      this_node: {
        allowances: allowances.map(({ class: of, used, full_in_seconds }) => ({ class: of, used, full_in_seconds })),
        open_streams: capacity.openStreams.count(organization.id),
        turns: capacity.runs.slots.responsesOf(organization.id),
      },
    };
  },
});

export const LIMITS = {
  tag: "Organizations",
  about: "the rates of an organization, and what it may have at once",
  operations: { setLimits, showLimits },
} as const satisfies Subject;
