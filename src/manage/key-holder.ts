// What the holder of an API key sees of that key, and asks for. docs/management.md (The holder of a key)
import Type from "typebox";
import {
  KEY_CONVERSATIONS_PAGE_DEFAULT,
  KEY_CONVERSATIONS_PAGE_MAX,
  TURNS_READ_MAX,
} from "../contract/manage/limits.ts";
import { KEY_PERMISSIONS } from "../contract/manage/key-options.ts";
import { baseUrl, seconds, time, usdPerCredit } from "../contract/manage/resource-fields.ts";
import { BUDGET_PERIODS, BUDGET_SCOPES } from "../contract/money.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { revokedKeyError } from "../flows/access/authenticate.ts";
import { openStreamsMax, responsesMax } from "../flows/access/limits-in-force.ts";
import { readAmount, readName } from "../flows/accounts/amounts.ts";
import type * as stored from "../ports/store/money.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { DAY_SECONDS } from "../base/time.ts";
import { secondsOf } from "../ports/clock.ts";
import { credits, Done, pageSize, presentPage } from "./fields.ts";
import { KeyLimits, presentKeyLimits } from "./keys.ts";
import { AllowanceNow, presentAllowances } from "./limits-now.ts";
import { keyOperation, type Subject } from "./definition/operation.ts";
import { cursorOf, placeInLog, readCursor } from "./turn-filter.ts";
import { presentSums, usageSums } from "./usage.ts";

const UsageSums = Type.Object(usageSums);

/** A budget that a key's responses count in. */
export const KeyBudget = Type.Object({
  scope: oneOf(BUDGET_SCOPES),
  period: oneOf(BUDGET_PERIODS),
  limit: Type.Number({ description: "with a raise that is in force" }),
  left: Type.Number({ description: "neither spent nor held by a running response; never below 0" }),
  held: Type.Number({ description: "reserved for running turns" }),
  resets_at: orNull(time("Unix seconds; null: never")),
  increase: Type.Optional(
    Type.Object(
      { amount: Type.Number(), at: seconds },
      { description: "the credits that the holder has asked for; present until an owner or admin answers" },
    ),
  ),
});

/** A budget as the holder of a key sees it: what is left of it, and when it starts again, in Unix seconds. */
export function presentKeyBudget({
  scope,
  period,
  limitNano,
  leftNano,
  heldNano,
  resetsOnDay,
  increase,
}: stored.KeyBudget) {
  return {
    scope,
    period,
    limit: creditsAsNumber(limitNano),
    left: creditsAsNumber(leftNano),
    held: creditsAsNumber(heldNano),
    resets_at: resetsOnDay === null ? null : resetsOnDay * DAY_SECONDS,
    ...(increase === undefined
      ? {}
      : { increase: { amount: creditsAsNumber(increase.amountNano), at: secondsOf(increase.atMs) } }),
  };
}

const KeyHolder = Type.Object({
  key: Type.Object({
    id: Type.String(),
    name: Type.String(),
    permissions: oneOf(KEY_PERMISSIONS),
    limits: KeyLimits,
    created: seconds,
    secret_valid_until: orNull(time("Unix seconds: the end of a rotated secret; null: the secret has no end")),
  }),
  usage: Type.Object({ today: UsageSums, month: UsageSums }, { description: "Of this key, by UTC day and month." }),
  budgets: Type.Array(KeyBudget, {
    description: "The budgets that the key's responses count in, the narrowest first.",
  }),
  allowances: Type.Array(AllowanceNow, {
    description: "The organization's rate limits, which its keys share, as far as this node knows.",
  }),
  open_streams: Type.Object(
    { max: Type.Integer(), open: Type.Integer() },
    { description: "`open`: of the organization, on the node that answers; `max`: on all nodes together." },
  ),
  turns: Type.Object(
    { max: Type.Integer(), now: Type.Integer() },
    { description: "Turns of the organization that run or are queued, on the node that answers." },
  ),
  usd_per_credit: usdPerCredit,
  base_url: baseUrl,
});

const showKeyHolder = keyOperation({
  route: "GET /me",
  summary: "Show an API key's budgets, usage and limits",
  description: "Of the key that authenticates the request. The request counts as one of the class `retrieve`.",
  output: { KeyHolder },
  async run({ services, found: { key, organization, secretExpiresAtMs } }) {
    const { capacity, limits, store } = services;
    const spending = await store.readKeySpending({ caller: { organizationId: organization.id, keyId: key.id } });
    if (spending === null) throw revokedKeyError();
    return {
      key: {
        id: key.id,
        name: key.name,
        permissions: key.permission,
        limits: presentKeyLimits(key),
        created: key.createdAt,
        secret_valid_until: secretExpiresAtMs === null ? null : secondsOf(secretExpiresAtMs),
      },
      usage: { today: presentSums(spending.today), month: presentSums(spending.month) },
      budgets: spending.budgets.map(presentKeyBudget),
      allowances: presentAllowances(services, organization),
      open_streams: { max: openStreamsMax(limits, organization), open: capacity.openStreams.count(organization.id) },
      turns: { max: responsesMax(limits, organization), now: capacity.runs.slots.responsesOf(organization.id) },
      usd_per_credit: services.configuration.show().usd_per_credit,
      base_url: services.baseUrl(),
    };
  },
});

const listKeyConversations = keyOperation({
  route: "GET /me/conversations",
  isLong: true,
  summary: "List the key's conversations",
  description:
    "Those in which responses of the last 10,000 of the key ran, the last used first. With the first words of each: an organization's own operations show no content. The request counts as one of the class `retrieve`.",
  input: {
    limit: pageSize(KEY_CONVERSATIONS_PAGE_MAX, KEY_CONVERSATIONS_PAGE_DEFAULT),
    before: placeInLog("`place` of another page's last conversation: those that were used before it"),
  },
  output: {
    KeyConversationPage: Type.Object({
      data: Type.Array(
        Type.Object({
          id: Type.String(),
          title: orNull(Type.String({ description: "the first words of its first message; null: it has no text" })),
          created: seconds,
          last_used_at: seconds,
          responses: Type.Integer(),
          credits: Type.Number({ description: "charged for its responses" }),
          place: Type.String({ description: "`before` of the page of those that were used before it" }),
        }),
        { description: "The last used first." },
      ),
      has_more: Type.Boolean(),
    }),
  },
  async run({ services, found: { key, organization } }, { limit, before }) {
    const caller = { organizationId: organization.id, keyId: key.id };
    const from = before === undefined ? null : readCursor(before);
    const query = { caller, before: from, limit: limit + 1, readsMax: TURNS_READ_MAX };
    const found = await services.store.listKeyConversations(query);
    return presentPage(found, limit, ({ id, title, createdAt, lastUsedAt, responses, chargedNano, place }) => ({
      id,
      title,
      created: createdAt,
      last_used_at: lastUsedAt,
      responses,
      credits: creditsAsNumber(chargedNano),
      place: cursorOf(place),
    }));
  },
});

/** Throws 400 `invalid_input` when the key's turns count in no such budget. */
const requestIncrease = keyOperation({
  route: "POST /me/budget-increases",
  summary: "Ask for more than a budget's limit",
  description:
    "For a budget that the key's responses count in. Owners and admins see the request until they grant or decline it, or the budget's period ends. A later request for the same budget replaces it. The request counts as one of the class `retrieve`.",
  input: {
    scope: oneOf(BUDGET_SCOPES),
    period: Type.Optional(oneOf(BUDGET_PERIODS)),
    amount: credits("the number of credits in addition to the limit, in steps of a millionth", 0),
  },
  output: { Done },
  async run({ services: { store, mintAccountId }, found: { key, organization } }, { amount, ...name }) {
    // Its id is the key's own or that of its member: the store knows it.
    const { scope } = name;
    const { period } = readName({ ...name, ...(scope === "key" || scope === "member" ? { id: key.id } : {}) });
    const isKept = await store.requestIncrease({
      id: mintAccountId("increase"),
      caller: { organizationId: organization.id, keyId: key.id },
      scope,
      period,
      amountNano: readAmount("amount", amount),
    });
    if (!isKept) throw revokedKeyError();
    return { done: true };
  },
});

export const KEY_HOLDER = {
  tag: "Key holder",
  operations: { showKeyHolder, listKeyConversations, requestIncrease },
} as const satisfies Subject;
