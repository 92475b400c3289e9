// What the management interface asks for besides accounts: tokens of programs, passwords and sessions of people, and what makes and
// checks their secrets. Of every secret the store keeps a keyed hash. @spec authentication
import type { MemberRole } from "../contract/manage/roles.ts";
import type { Member, NewSecret } from "./accounts.ts";
import type { Actor } from "./audit.ts";

/** What a program manages with, `adm_…`. */
export interface AdminToken {
  readonly id: string;
  /** Null, with the role: a token of the platform's operator. */
  readonly organizationId: string | null;
  readonly role: MemberRole | null;
  readonly name: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** What a look-up id finds: the hash of its secret and its token, not revoked at this moment. */
export interface FoundToken {
  readonly secretHash: string;
  readonly token: AdminToken;
}

/** A member who has a password. */
export interface PasswordHolder {
  readonly member: Member;
  readonly organizationName: string;
  readonly passwordHash: string;
}

export interface FoundSession {
  readonly id: string;
  readonly member: Member;
  readonly usedAtMs: number;
  /** When it ends at the latest. */
  readonly expiresAtMs: number;
}

/** How long a session lasts: without being used, and at all. */
export interface SessionLifetime {
  readonly idleMs: number;
  readonly absoluteMs: number;
}

export interface ManagementStore {
  /** Throws an AccountError for an unknown organization. */
  createToken(create: { by: Actor; token: AdminToken; secret: NewSecret }): Promise<AdminToken>;
  /** The token that a look-up id belongs to, if it is not revoked; else null. */
  findToken(query: { lookup: string }): Promise<FoundToken | null>;
  /** A token by its id, revoked ones too; null when there is none. */
  findTokenById(query: { tokenId: string }): Promise<AdminToken | null>;
  /** Tokens of one organization, or (null) all of them. */
  listTokens(query: { organizationId: string | null }): Promise<readonly AdminToken[]>;
  /** Permanent; repeated it answers the first revocation. Throws an AccountError for an unknown token. */
  revokeToken(revoke: { by: Actor; tokenId: string; revokedAt: number }): Promise<AdminToken>;

  /** Gives a member a link to set a password by, good once and for that long by the store's clock; an earlier one ends. */
  setSignInLink(link: {
    by: Actor;
    organizationId: string;
    memberId: string;
    hash: string;
    lifetimeMs: number;
    expectedRole?: MemberRole;
  }): Promise<{ expiresAtMs: number }>;
  /** The member whose link has that hash and is still good; null when there is none. */
  findSignInLink(query: { hash: string }): Promise<Member | null>;
  /** Uses a link up: the member has that password now and no session any more. Null when the link is not good (any more). */
  redeemSignInLink(redeem: { hash: string; passwordHash: string }): Promise<Member | null>;
  /** The members of that e-mail address, in any letter case, who have a password: one an organization. */
  findPasswordHolders(query: { email: string }): Promise<readonly PasswordHolder[]>;
  /** Gives a member another password and ends all sessions; false when it was not `expectedHash` any more. */
  changePassword(change: { memberId: string; expectedHash: string; passwordHash: string }): Promise<boolean>;

  /** Starts a session of a member whose password still is `expectedHash`; else false. */
  startSession(start: {
    id: string;
    memberId: string;
    hash: string;
    expectedHash: string;
    lifetime: SessionLifetime;
  }): Promise<boolean>;
  /** The session of that hash, its member as it is at this moment, if it has not expired by the store's clock; else null. */
  findSession(query: { hash: string; lifetime: SessionLifetime }): Promise<FoundSession | null>;
  /** Notes that a session is used now. */
  touchSession(query: { id: string }): Promise<void>;
  /** Ends a session; harmless when it has ended. */
  endSession(query: { id: string }): Promise<void>;
}

/** A secret that is shown once, and the hash that is kept of it. */
export interface MintedSecret {
  readonly secret: string;
  readonly hash: string;
}

/** Makes and checks the secrets of the management interface; every use has a key of its own. */
export interface ManagementSecrets {
  /** A new `adm_…` token and the parts of it that are stored. */
  mintToken(): MintedSecret & { readonly lookup: string };
  /** Whether a presented token gives that hash; compared in constant time. */
  matchesToken(secret: string, hash: string): boolean;
  /** A new secret of a session or of a sign-in link. */
  mintSecret(): MintedSecret;
  hashSecret(secret: string): string;
  /** What a page that a session's cookie was given to sends along with a change; says nothing of the secret. */
  csrfTokenOf(sessionSecret: string): string;
  isEqual(one: string, other: string): boolean;
}

/** Hashes of passwords, slow by intent (argon2id). */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether a password gives that hash; with null it takes as long and says no. */
  matches(password: string, hash: string | null): Promise<boolean>;
}

/** What only those who manage see the ids of; a transaction is one of the ledger. */
export type AccountIdKind = "organization" | "member" | "key" | "transaction" | "token" | "session";

/** Mints their ids: random and ordered by the time they were minted. */
export type MintAccountId = (kind: AccountIdKind) => string;
