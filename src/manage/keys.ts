// API keys, which authenticate requests. @spec authentication
import Type, { type Static } from "typebox";
import { invalidInput, notFound } from "../contract/errors.ts";
import { KEY_PERMISSIONS } from "../contract/manage/key-options.ts";
import { KEY_NAME_CHARACTERS_MIN, NAME_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { seconds, secret, time } from "../contract/manage/resource-fields.ts";
import { EVERYBODY, MANAGERS } from "../contract/manage/roles.ts";
import { oneOf } from "../contract/one-of.ts";
import { orNull } from "../contract/or-null.ts";
import { UNANSWERED_CALLS } from "../contract/requests.ts";
import { readKeyName } from "../core/access/account-fields.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { findMember } from "../flows/accounts/members.ts";
import { readableMember } from "../flows/manage/principal.ts";
import { nowSeconds, secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/accounts.ts";
import { accountsPage, listPage, presentPage, text } from "./fields.ts";
import type { OrganizationContext } from "./context.ts";
import { operation, type Subject } from "./operation.ts";

const Key = Type.Object({
  id: Type.String(),
  name: Type.String(),
  member: orNull(Type.String()),
  permissions: oneOf(KEY_PERMISSIONS),
  unanswered_calls: oneOf(UNANSWERED_CALLS),
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
    created: key.createdAt,
    revoked_at: key.revokedAt,
  };
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
  async run({ store, principal, organization }, { limit, after = null }) {
    const memberId = readableMember(principal);
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
      permissions: { help: "what the key may do (default: all)" },
      unanswered_calls: { help: `${UNANSWERED} (default: refuse)` },
    },
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
  },
  output: { NewKey: Type.Object({ id: Type.String(), name: Type.String(), secret }) },
  async run(context, { name, member: named, permissions = "all", unanswered_calls = "refuse" }) {
    const organizationId = context.organization.id;
    const member = named === undefined ? null : await findMember(context, organizationId, named);
    if (named !== undefined && member === null) {
      throw invalidInput("member", `member is "${named}"; allowed: a member of the organization, by id or e-mail.`);
    }
    const memberId = member?.id ?? null;
    const create = { organizationId, memberId, name, permission: permissions, unansweredCalls: unanswered_calls };
    return addKey(context, create);
  },
});

const updateKey = operation({
  route: "POST /organizations/:organization_id/keys/:key_id",
  roles: MANAGERS,
  summary: "Change a key's defaults for requests",
  command: { words: "keys update", options: NAMED, ownerOf },
  input: { unanswered_calls: unansweredCalls },
  output: { Key },
  async run(context, { key_id, unanswered_calls }) {
    const keyId = await findKey(context, key_id);
    return presentKey(await context.store.updateKey({ by: context.by, keyId, unansweredCalls: unanswered_calls }));
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
    const keyId = await findKey(context, key_id);
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
  run: async (context, { key_id }) => endKey(context, await findKey(context, key_id)),
});

/** Creates a key; returns its id, its name and its secret, which is returned only here. */
export async function addKey(
  { store, by, secrets, mintAccountId, clock }: AdminContext,
  create: Pick<stored.ApiKey, "organizationId" | "memberId" | "name" | "permission" | "unansweredCalls">,
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
async function findKey({ store, organization }: OrganizationContext, keyId: string) {
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
