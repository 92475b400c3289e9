// Requests that got an error response: why, by which figures, and what would let them through. docs/management.md
import Type from "typebox";
import { timeOf } from "../base/time.ts";
import { ERROR_CATALOGUE, type ErrorCode, notFound } from "../contract/errors.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, REQUEST_ID_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { seconds } from "../contract/manage/resource-fields.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { ROUTES } from "../contract/routes.ts";
import { REJECTION_RULES } from "../core/explanations/rejections.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { readableMember } from "../flows/manage/principal.ts";
import { secondsOf } from "../ports/clock.ts";
import type { KeptRejection } from "../ports/store/rejections.ts";
import { olderPages, presentPage } from "./fields.ts";
import { KeyBudget, presentKeyBudget } from "./key-holder.ts";
import { limitsInForce, presentLimits } from "./limits-now.ts";
import { operation, type Subject } from "./definition/operation.ts";

const CODES = Object.keys(ERROR_CATALOGUE) as ErrorCode[];

const listed = {
  id: Type.Integer(),
  request_id: Type.String({ description: "the `x-request-id` of its response" }),
  at: seconds,
  key: Type.String(),
  key_name: orNull(Type.String()),
  operation: oneOf(ROUTES.map((route) => route.operation)),
  model: orNull(Type.String({ description: "the requested model; null: not a create, or an unknown model" })),
  status: Type.Integer(),
  code: oneOf(CODES),
  param: orNull(Type.String()),
  message: orNull(Type.String({ description: "what the client was told; null where it may quote the request" })),
  skipped: Type.Integer({
    description: "rejected requests of the key before this one that were not kept: a node keeps a few a minute",
  }),
  provider: orNull(Type.String({ description: "the provider that failed; null: none did" })),
  provider_status: orNull(Type.Integer({ description: "the status of its response" })),
  provider_request_id: orNull(Type.String({ description: "the provider's id of its request" })),
};

function presentRejection({ requestId, atMs, keyId, keyName, ...rejection }: KeptRejection) {
  const { id, operation: of, model, status, code, param, message, skipped, provider } = rejection;
  const at = secondsOf(atMs);
  const named = { id, request_id: requestId, at, key: keyId, key_name: keyName };
  const said = {
    provider,
    provider_status: rejection.providerStatus,
    provider_request_id: rejection.providerRequestId,
  };
  return { ...named, operation: of, model, status, code, param, message, skipped, ...said };
}

const listRejections = operation({
  route: "GET /organizations/:organization_id/rejections",
  isLong: true,
  roles: EVERYBODY,
  summary: "List requests that got an error response, newest first",
  description:
    "Members see only those of their own keys. A node keeps 20 of a key and 100 of an organization a minute and counts the others (`skipped`); the newest 2,000 of an organization are kept, for 7 days. Requests without a valid key are not kept.",
  command: {
    words: "rejections list",
    help: "list rejected requests, newest first",
    whenEmpty: "No rejected requests.",
  },
  input: olderPages(AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT),
  output: {
    RejectionPage: Type.Object(
      { data: Type.Array(Type.Object(listed)), has_more: Type.Boolean() },
      { description: "Newest first." },
    ),
  },
  async run({ store, role, session, organization }, { limit, before: id }) {
    const memberId = readableMember({ role, session });
    if (memberId === undefined) return { data: [], has_more: false };
    const before = id === undefined ? null : { id, atMs: null };
    const query = { organizationId: organization.id, memberId, before, limit: limit + 1 };
    return presentPage(await store.listRejections(query), limit, presentRejection);
  },
});

const showRejection = operation({
  route: "GET /organizations/:organization_id/rejections/:request_id",
  roles: EVERYBODY,
  summary: "Explain why a request was rejected, and what would let it through",
  description:
    "By the `x-request-id` of its response, from a second later on. Members see only those of their own keys.",
  command: {
    words: "rejections show",
    options: { request_id: { help: "its id, the x-request-id of its response" } },
    show: ({ now, ...shown }) => ({
      ...shown,
      at: timeOf(shown.at),
      now: {
        ...now,
        budgets: now.budgets.map(({ scope, period, left, limit }) => `${scope} ${period}: ${left} of ${limit} left`),
      },
    }),
  },
  output: {
    RejectionDetail: Type.Object({
      ...listed,
      rule: Type.String({ description: "the rule, as a sentence" }),
      lifted_by: Type.Array(Type.String(), { description: "what would let the request through, each as a sentence" }),
      now: Type.Object(
        {
          suspended: Type.Boolean(),
          plan: Type.Boolean(),
          payment_method: Type.Boolean(),
          credits: Type.Number({ description: "the balance" }),
          held: Type.Number({ description: "reserved for running turns, not part of the balance" }),
          budgets: Type.Array(KeyBudget, {
            description: "those that the key's responses count in, narrowest first; none if the key is revoked",
          }),
          limits: Type.Object(limitsInForce, { description: "the organization's own, or the service's" }),
        },
        { description: "how things stand now" },
      ),
    }),
  },
  async run({ store, role, session, organization, limits }, { request_id: requestId }) {
    const memberId = readableMember({ role, session });
    if (memberId === undefined || requestId.length > REQUEST_ID_CHARACTERS_MAX) throw notFound();
    const organizationId = organization.id;
    const rejection = await store.findRejection({ organizationId, memberId, requestId });
    if (rejection === null) throw notFound();
    // Null: the key is revoked.
    const spending = await store.readKeySpending({ caller: { organizationId, keyId: rejection.keyId } });
    const { rule, liftedBy } = REJECTION_RULES[rejection.code];
    const { plan, paymentMethod, suspended, creditsNano, heldNano } = organization;
    return {
      ...presentRejection(rejection),
      rule,
      lifted_by: [...liftedBy],
      now: {
        suspended,
        plan,
        payment_method: paymentMethod,
        credits: creditsAsNumber(creditsNano),
        held: creditsAsNumber(heldNano),
        budgets: (spending?.budgets ?? []).map(presentKeyBudget),
        limits: presentLimits(limits, organization),
      },
    };
  },
});

export const REJECTIONS = {
  tag: "Turns",
  about: "requests that got an error response, and why",
  operations: { listRejections, showRejection },
} as const satisfies Subject;
