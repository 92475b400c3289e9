// Tokens: access of programs to this interface, for the operator or in an organization. @spec authentication
import Type, { type Static, type TObject } from "typebox";
import { timeOf } from "../base/time.ts";
import { ApiError, invalidInput, notFound } from "../contract/errors.ts";
import { TOKEN_PERMISSIONS } from "../contract/manage/key-options.ts";
import { KEY_NAME_CHARACTERS_MIN, NAME_CHARACTERS_MAX } from "../contract/manage/limits.ts";
import { ACTOR_KINDS, MANAGE_ROLES, MANAGERS, MEMBER_ROLES, OPERATOR } from "../contract/manage/roles.ts";
import { seconds, secret, time } from "../contract/manage/resource-fields.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { readKeyName } from "../core/access/account-fields.ts";
import { assertMayHandle } from "../flows/accounts/members.ts";
import { nowSeconds } from "../ports/clock.ts";
import type { AdminToken } from "../ports/store/management.ts";
import { accountsPage, listPage, ORG_OPTION, presentPage, text, TIME } from "./fields.ts";
import type { Context } from "./definition/context.ts";
import { Revoked } from "./keys.ts";
import { operation, type Subject } from "./definition/operation.ts";

const Token = Type.Object({
  id: Type.String(),
  name: Type.String(),
  organization: orNull(Type.String()),
  role: oneOf(MANAGE_ROLES),
  permissions: oneOf(TOKEN_PERMISSIONS),
  created: seconds,
  expires_at: orNull(time("when it expires or expired, Unix seconds; null: never")),
  revoked_at: orNull(seconds),
  created_by: orNull(
    Type.Object({
      kind: oneOf(ACTOR_KINDS),
      id: Type.String({ description: "of a member, the name of an operator or of the user who ran the command" }),
    }),
    { description: "who made it, or the token that made it; null: not recorded" },
  ),
});
const asked = {
  ...accountsPage,
  created_by: Type.Optional(
    Type.String({
      maxLength: NAME_CHARACTERS_MAX,
      description: "only those that somebody made: the id of `created_by`",
    }),
  ),
};
const TokenList = listPage(Token);

/** A token without its secret. */
export function presentToken(token: AdminToken): Static<typeof Token> {
  const { id, name, organizationId, role, permissions, createdAt, expiresAt, revokedAt, createdBy: maker } = token;
  return {
    id,
    name,
    organization: organizationId,
    role: role ?? ("operator" as const),
    permissions,
    created: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    created_by: maker,
  };
}

/** Those of an organization, or (null) all of them; of one maker, if one is given. */
async function pageOf({ store }: Context, organizationId: string | null, input: Static<TObject<typeof asked>>) {
  const { limit, after = null, created_by: makerId = null } = input;
  const found = await store.pageTokens({ organizationId, makerId, after, limit: limit + 1 });
  if (found === null) throw invalidInput("after", "after names no token of the list.");
  return presentPage(found, limit, presentToken);
}

/** Its secret is nowhere else. */
const NewToken = Type.Object({ id: Type.String(), name: Type.String(), secret });

const name = text(
  "a name that says what the token is for, 3 characters or more",
  NAME_CHARACTERS_MAX,
  KEY_NAME_CHARACTERS_MIN,
);

/** What limits a token, if anything does. */
const limits = {
  permissions: Type.Optional(oneOf(TOKEN_PERMISSIONS, "whether the token may do all of its role, or only read")),
  expires_at: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000_000,
        description: "when the token expires, Unix seconds in the future; null: never",
      }),
    ),
  ),
};
type Limits = Static<TObject<typeof limits>>;

const listTokens = operation({
  route: "GET /organizations/:organization_id/tokens",
  roles: MANAGERS,
  summary: "List the organization's tokens",
  input: asked,
  output: { TokenList },
  run: (context, input) => pageOf(context, context.organization.id, input),
});

const listAllTokens = operation({
  route: "GET /tokens",
  roles: OPERATOR,
  summary: "List all tokens",
  command: {
    words: "tokens list",
    help: "list tokens without their secrets",
    variants: { organization_id: { operation: listTokens, ...ORG_OPTION } },
    whenEmpty: "There is no token, or none further.",
  },
  input: asked,
  output: { TokenList },
  run: (context, input) => pageOf(context, null, input),
});

const createOperatorToken = operation({
  route: "POST /tokens",
  roles: OPERATOR,
  summary: "Create an operator token",
  input: { name, ...limits },
  output: { NewToken },
  run: (context, input) => create(context, { organizationId: null, role: null }, input),
});

const createToken = operation({
  route: "POST /organizations/:organization_id/tokens",
  roles: MANAGERS,
  summary: "Create a token of the organization",
  description: "Only an owner can create one with the role owner.",
  command: {
    words: "tokens create",
    help: "create a token of the operator or of an organization; its secret is shown once",
    options: {
      role: { help: "role in the organization, with --org" },
      permissions: { help: "whether the token may do all of its role, or only read (default: all)" },
      expires_at: {
        flags: "--expires <time>",
        help: `when the token expires (default: never): ${TIME.allowed}`,
        read: TIME,
      },
    },
    variants: {
      scope: {
        operation: createOperatorToken,
        createsStore: true,
        help: "operator: may manage all organizations",
        read: { from: (written) => (written === "operator" ? written : null), allowed: "operator" },
      },
    },
  },
  input: { name, role: oneOf(MEMBER_ROLES), ...limits },
  output: { NewToken },
  async run(context, { role, ...input }) {
    assertMayHandle(context.role, role);
    return create(context, { organizationId: context.organization.id, role }, input);
  },
});

async function create(
  { store, by, session, managementSecrets, mintAccountId, clock }: Context,
  holder: Pick<AdminToken, "organizationId" | "role">,
  { name: given, permissions = "all", expires_at: expiresAt = null }: Limits & { readonly name: string },
): Promise<Static<typeof NewToken>> {
  const createdAt = nowSeconds(clock);
  if (expiresAt !== null && expiresAt <= createdAt) {
    throw invalidInput("expires_at", `expires_at is ${timeOf(expiresAt)}; allowed: a time in the future, or null.`);
  }
  const { secret: shown, ...hashed } = managementSecrets.mintToken();
  const named = { id: mintAccountId("token"), name: readKeyName(given) };
  const token = { ...holder, ...named, permissions, createdAt, expiresAt, revokedAt: null };
  const made = await store.createToken({ by, sessionId: session?.id ?? null, token, secret: hashed });
  if (made === null) throw new ApiError("invalid_api_key", "Your session or your token has ended.");
  return { ...named, secret: shown };
}

const revokeToken = operation({
  route: "POST /organizations/:organization_id/tokens/:token_id/revoke",
  roles: MANAGERS,
  summary: "Revoke a token of the organization, immediately and permanently",
  description: "Only an owner can revoke one with the role owner.",
  output: { Revoked },
  async run(context, { token_id: id }) {
    const token = await context.store.findTokenById({ tokenId: id });
    // The same 404 for an unknown token and for one of another organization.
    if (token === null || token.organizationId !== context.organization.id) throw notFound();
    if (token.role !== null) assertMayHandle(context.role, token.role);
    return revoke(context, id);
  },
});

const revokeAnyToken = operation({
  route: "POST /tokens/:token_id/revoke",
  roles: OPERATOR,
  summary: "Revoke any token, immediately and permanently",
  command: { words: "tokens revoke", variants: { organization_id: { operation: revokeToken, ...ORG_OPTION } } },
  output: { Revoked },
  async run(context, { token_id: id }) {
    if ((await context.store.findTokenById({ tokenId: id })) === null) throw notFound();
    return revoke(context, id);
  },
});

async function revoke({ store, by, clock }: Context, tokenId: string) {
  const { id, revokedAt } = await store.revokeToken({ by, tokenId, revokedAt: nowSeconds(clock) });
  return { id, revoked_at: revokedAt };
}

export const TOKENS = {
  tag: "Tokens",
  about: "tokens for the management interface",
  operations: { createToken, listAllTokens, revokeAnyToken, createOperatorToken, listTokens, revokeToken },
} as const satisfies Subject;
