// API keys, which authenticate requests. @spec authentication
import Type, { type Static } from "typebox";
import { definedOf } from "../base/defined.ts";
import { invalidInput, notFound } from "../contract/errors.ts";
import { KEY_PERMISSIONS, NEW_KEY } from "../contract/manage/key-options.ts";
import { KEY_NAME_CHARACTERS_MIN, NAME_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { seconds, secret, time } from "../contract/manage/resource-fields.ts";
import { EVERYBODY, MANAGERS } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { UNANSWERED_CALLS } from "../contract/requests.ts";
import { readKeyName } from "../core/access/account-fields.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { findMember } from "../flows/accounts/members.ts";
import { readableMember } from "../flows/manage/principal.ts";
import { nowSeconds, secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/accounts.ts";
import { keyLimitsNamed, nameKeyLimits, NO_KEY_LIMITS } from "../ports/store/limits.ts";
import { accountsPage, listPage, presentPage, text } from "./fields.ts";
import type { OrganizationContext } from "./definition/context.ts";
import { countOrNull, modelIds, readModels, unknownModels } from "./limit-fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

export const KeyLimits = Type.Object(
  {
    allow_models: orNull(Type.Array(Type.String())),
    create_per_minute: orNull(Type.Integer()),
    retrieve_per_minute: orNull(Type.Integer()),
    delete_per_minute: orNull(Type.Integer()),
    tokens_per_minute: orNull(Type.Integer()),
    concurrent_turns: orNull(Type.Integer()),
  },
  { description: "the key's own, within its organization's; null: the organization's alone" },
);

const Key = Type.Object({
  id: Type.String(),
  name: Type.String(),
  member: orNull(Type.String()),
  permissions: oneOf(KEY_PERMISSIONS),
  unanswered_calls: oneOf(UNANSWERED_CALLS),
  limits: KeyLimits,
  created: seconds,
  revoked_at: orNull(seconds),
});

/** A key without its secret. */
export function presentKey(key: stored.ApiKey): Static<typeof Key> {
  return {
    id: key.id,
    name: key.name,
    member: key.memberId,
    permissions: key.permission,
    unanswered_calls: key.unansweredCalls,
    limits: presentKeyLimits(key),
    created: key.createdAt,
    revoked_at: key.revokedAt,
  };
}

/** The limits of a key itself. */
export function presentKeyLimits({ limits }: stored.ApiKey): Static<typeof KeyLimits> {
  const { allow_models: allowed, ...rates } = nameKeyLimits(limits);
  return { allow_models: allowed && [...allowed], ...rates };
}

const ListedKey = Type.Object({
  ...Key.properties,
  last_used_at: orNull(time("when its last turn began, Unix seconds")),
  old_secret_valid_until: orNull(
    time("when the grace of a rotated secret ends, Unix seconds; null: no old secret is valid"),
  ),
});

/** A listed key, with its last use and the grace of a rotated secret. */
export function presentListedKey(key: stored.ListedKey): Static<typeof ListedKey> {
  const { lastUsedAt, oldSecretsUntilMs: untilMs } = key;
  const until = untilMs === null ? null : secondsOf(untilMs);
  return { ...presentKey(key), last_used_at: lastUsedAt, old_secret_valid_until: until };
}

/** A key or a token that has ended. */
export const Revoked = Type.Object({ id: Type.String(), revoked_at: orNull(seconds) });

const UNANSWERED =
  "whether a message is rejected (`refuse`) while function calls wait for their outputs, or closes those calls and proceeds (`drop`)";
const unansweredCalls = oneOf(UNANSWERED_CALLS, UNANSWERED);

const limitFields = {
  allow_models: Type.Optional(orNull(modelIds, { description: "the only models that the key may use; null: all" })),
  create_per_minute: countOrNull(1, "create requests of the key per minute; null: no limit of its own"),
  retrieve_per_minute: countOrNull(1, "retrieve requests of the key per minute; null: no limit of its own"),
  delete_per_minute: countOrNull(1, "delete and cancel requests of the key per minute; null: no limit of its own"),
  tokens_per_minute: countOrNull(1, "tokens of input and output of the key per minute; null: no limit of its own"),
  concurrent_turns: countOrNull(
    1,
    "turns of the key at once on each node, running and queued ones; null: its share of the organization's",
  ),
};
const NONE = { none: "none" };
const limitOptions = {
  allow_models: { flags: "--allow-model <id...>", none: "all" },
  create_per_minute: NONE,
  retrieve_per_minute: NONE,
  delete_per_minute: NONE,
  tokens_per_minute: NONE,
  concurrent_turns: NONE,
};

/** The limits that are given, models by their full ids. */
async function readLimits(context: OrganizationContext, { allow_models: allow, ...rates }: GivenLimits) {
  const models = allow && readModels("allow_models", allow, await context.catalog());
  return keyLimitsNamed({ ...rates, allow_models: models });
}
type GivenLimits = Partial<Static<typeof KeyLimits>>;

/** A command names the key alone: the store knows its organization. */
const NAMED = { key_id: { flags: "<key>", help: "the key's id" } };
async function ownerOf(store: OrganizationContext["store"], { key_id: keyId = "" }: { key_id?: string }) {
  return (await store.findKeyById({ keyId }))?.organizationId ?? null;
}

const listKeys = operation({
  route: "GET /organizations/:organization_id/keys",
  roles: EVERYBODY,
  summary: "List the API keys",
  description: "Members see only their own.",
  command: {
    words: "keys list",
    help: "list the keys of an organization, without their secrets",
    whenEmpty: "There is no key, or none further.",
  },
  input: accountsPage,
  output: { KeyList: listPage(ListedKey) },
  async run({ store, role, session, organization }, { limit, after = null }) {
    const memberId = readableMember({ role, session });
    // It belongs to no member, and so has no keys.
    if (memberId === undefined) return { data: [], has_more: false };
    const found = await store.pageKeys({ organizationId: organization.id, memberId, after, limit: limit + 1 });
    if (found === null) throw invalidInput("after", "after names no key of the organization.");
    return presentPage(found, limit, presentListedKey);
  },
});

const createKey = operation({
  route: "POST /organizations/:organization_id/keys",
  roles: MANAGERS,
  summary: "Create an API key",
  command: {
    words: "keys create",
    help: "create an API key; its secret is shown once",
    options: {
      permissions: { help: `what the key may do (default: ${NEW_KEY.permissions})` },
      unanswered_calls: { help: `${UNANSWERED} (default: ${NEW_KEY.unanswered_calls})` },
      ...limitOptions,
    },
    warn: ({ allow_models: allowed }, call) => unknownModels(allowed ?? [], call),
  },
  input: {
    name: text(
      "a name that says what the key is for, 3 characters or more",
      NAME_CHARACTERS_MAX,
      KEY_NAME_CHARACTERS_MIN,
    ),
    member: Type.Optional(text("the member who owns the key, by id or e-mail address")),
    permissions: Type.Optional(oneOf(KEY_PERMISSIONS)),
    unanswered_calls: Type.Optional(unansweredCalls),
    ...limitFields,
  },
  output: { NewKey: Type.Object({ id: Type.String(), name: Type.String(), secret }) },
  async run(context, { name, member: named, permissions, unanswered_calls: unanswered, ...given }) {
    const organizationId = context.organization.id;
    const member = named === undefined ? null : await findMember(context, organizationId, named);
    if (named !== undefined && member === null) {
      throw invalidInput("member", `member is "${named}"; allowed: a member of the organization, by id or e-mail.`);
    }
    const memberId = member?.id ?? null;
    const limits = { ...NO_KEY_LIMITS, ...(await readLimits(context, given)) };
    const chosen = definedOf({ permission: permissions, unansweredCalls: unanswered });
    return addKey(context, { organizationId, memberId, name, limits, ...chosen });
  },
});

const updateKey = operation({
  route: "POST /organizations/:organization_id/keys/:key_id",
  roles: MANAGERS,
  summary: "Change a key's limits and its default for requests",
  description:
    "Fields that are not given keep their values. The limits hold within those of the organization, whose policy and rates count too.",
  command: {
    words: "keys update",
    help: "change a key's limits and its default for requests; what is not given stays",
    options: { ...NAMED, ...limitOptions },
    ownerOf,
    warn: ({ allow_models: allowed }, call) => unknownModels(allowed ?? [], call),
  },
  input: { unanswered_calls: Type.Optional(unansweredCalls), ...limitFields },
  output: { Key },
  async run(context, { key_id, unanswered_calls, ...given }) {
    const keyId = await ownKeyId(context, key_id);
    if (unanswered_calls === undefined && Object.keys(given).length === 0) {
      throw invalidInput(null, "The body changes nothing; allowed: unanswered_calls and the limits of the key.");
    }
    const change = definedOf({ unansweredCalls: unanswered_calls, limits: await readLimits(context, given) });
    return presentKey(await context.store.updateKey({ by: context.by, keyId, ...change }));
  },
});

/** How long the old secret of a rotated key stays valid, seconds. */
const GRACE_SECONDS = { none: 0, "1h": 3600, "24h": 86_400, "7d": 604_800 } as const;

const rotateKey = operation({
  route: "POST /organizations/:organization_id/keys/:key_id/rotate",
  roles: MANAGERS,
  summary: "Rotate a key's secret",
  description: "The key keeps its name, spending and conversations. The old secret stays valid for the grace period.",
  command: {
    words: "keys rotate",
    help: "give a key a new secret, shown once; the key keeps its name and conversations",
    options: {
      ...NAMED,
      grace: {
        help: "how long the old secret stays valid; none, the default, ends all old secrets at once, else an earlier rotation's grace stays",
      },
    },
    ownerOf,
  },
  input: { grace: Type.Optional(oneOf(Object.keys(GRACE_SECONDS) as (keyof typeof GRACE_SECONDS)[])) },
  body: { isOptional: true },
  output: { RotatedKey: Type.Object({ id: Type.String(), secret, old_secret_valid_until: seconds }) },
  async run(context, { key_id, grace = "none" }) {
    const { store, by } = context;
    const keyId = await ownKeyId(context, key_id);
    const { secret: shown, ...hashed } = context.secrets.mintApiKey();
    const rotation = { by, keyId, secret: hashed, graceSeconds: GRACE_SECONDS[grace] };
    const { key, oldSecretValidUntilMs } = await store.rotateKey(rotation);
    return { id: key.id, secret: shown, old_secret_valid_until: secondsOf(oldSecretValidUntilMs) };
  },
});

const revokeKey = operation({
  route: "POST /organizations/:organization_id/keys/:key_id/revoke",
  roles: MANAGERS,
  summary: "Revoke a key, immediately and permanently",
  description: "Conversations that it started cannot be continued.",
  command: {
    words: "keys revoke",
    help: "revoke a key at once and permanently; conversations it started can't be continued",
    options: NAMED,
    ownerOf,
  },
  output: { Revoked },
  run: async (context, { key_id }) => endKey(context, await ownKeyId(context, key_id)),
});

/** Creates a key; returns its id, its name and its secret, which is returned only here. */
export async function addKey(
  { store, by, secrets, mintAccountId, clock }: AdminContext,
  create: Omit<stored.NewKey, "id" | "createdAt" | "revokedAt">,
) {
  const { secret: shown, ...hashed } = secrets.mintApiKey();
  const named = { id: mintAccountId("key"), name: readKeyName(create.name) };
  await store.createKey({
    by,
    key: { ...create, ...named, createdAt: nowSeconds(clock), revokedAt: null },
    secret: hashed,
  });
  return { ...named, secret: shown };
}

/** Revokes a key, immediately and permanently. */
export async function endKey({ store, by, clock }: AdminContext, keyId: string) {
  const { id, revokedAt } = await store.revokeKey({ by, keyId, revokedAt: nowSeconds(clock) });
  return { id, revoked_at: revokedAt };
}

/** The id of the key in the path. Throws the same 404 for an unknown key and for one of another organization. */
async function ownKeyId({ store, organization }: OrganizationContext, keyId: string) {
  const key = await store.findKeyById({ keyId });
  if (key === null || key.organizationId !== organization.id) throw notFound();
  return key.id;
}

/** In the order of their commands. */
export const KEYS = {
  tag: "Keys",
  about: "API keys, which authenticate requests",
  operations: { createKey, updateKey, rotateKey, revokeKey, listKeys },
} as const satisfies Subject;
