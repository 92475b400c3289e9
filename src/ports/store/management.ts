// What the store does for the management interface besides accounts: tokens, passwords, sessions. The store keeps a
// keyed hash of every secret (ports/management-secrets.ts). @spec authentication
import type { TokenPermission } from "../../contract/manage/key-options.ts";
import type { MemberRole } from "../../contract/manage/roles.ts";
import type { HashRenewal, Member, NewSecret } from "./accounts.ts";
import type { Actor } from "./audit.ts";

/** A program's token for the management interface, `adm_…`. */
export interface AdminToken {
  readonly id: string;
  /** Both null: a token of the operator. */
  readonly organizationId: string | null;
  readonly role: MemberRole | null;
  readonly name: string;
  /** `read`: it may change nothing. */
  readonly permissions: TokenPermission;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Null: never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The person, program or command that made it; of one that another token made, whoever made that. Null: not recorded. */
  readonly createdBy: Actor | null;
}

/** A token to create. */
export type NewToken = Omit<AdminToken, "createdBy">;

/** The result of a lookup: the hash of the secret, and the token, which is neither revoked nor expired. */
export interface FoundToken {
  readonly secretHash: string;
  readonly token: AdminToken;
}

/** A member who has set a password. */
export interface PasswordHolder {
  readonly member: Member;
  readonly organizationName: string;
  readonly passwordHash: string;
}

/** A person who signs in: a member of an organization, or an operator of the service, who has a name and no row. */
export type Person =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "operator"; readonly name: string };

/** A session that is to start. */
export interface NewSession {
  readonly id: string;
  /** The hash of its secret. */
  readonly hash: string;
  readonly lifetime: SessionLifetime;
  /** The client: its network address and its `User-Agent`; null if unknown. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

export interface FoundSession {
  readonly id: string;
  readonly person: Person;
  /** Whether the person has a password; an operator has none. */
  readonly hasPassword: boolean;
  readonly usedAtMs: number;
  /** When it ends at the latest. */
  readonly expiresAtMs: number;
}

/** A session that has not expired, in a list. */
export interface ListedSession {
  readonly id: string;
  /** The name of an operator; null for a member's session. */
  readonly operator: string | null;
  readonly startedAtMs: number;
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** How long a session lasts: without use, and in total. */
export interface SessionLifetime {
  readonly idleMs: number;
  readonly absoluteMs: number;
}

/** A person at a provider of single sign-on. */
export interface ProviderIdentity {
  readonly issuer: string;
  /** The provider's id of the person. */
  readonly subject: string;
}

export interface IdentityStart {
  readonly by: Actor;
  readonly organizationId: string;
  readonly identity: ProviderIdentity;
  readonly email: string;
  readonly role: MemberRole;
  readonly mayAdd: boolean;
  /** The id of the member, if one is added. */
  readonly newMemberId: string;
  readonly createdAt: number;
  readonly session: NewSession;
}

export type IdentityOutcome =
  | { readonly kind: "started"; readonly session: FoundSession }
  | { readonly kind: "taken" }
  | { readonly kind: "not_a_member" };

export interface ManagementStore {
  /**
   * Null: the session (null: it is made without one) or the token by which it is made has ended. Throws an AccountError
   * for an unknown organization.
   */
  createToken(create: {
    by: Actor;
    sessionId: string | null;
    token: NewToken;
    secret: NewSecret;
  }): Promise<AdminToken | null>;
  /** The token of a lookup id; null unless it exists and is not revoked. */
  findToken(query: { lookup: string }): Promise<FoundToken | null>;
  /** As `renewKeyHash`, for a token. */
  renewTokenHash(renewal: HashRenewal): Promise<void>;
  /** A token by its id, revoked or not; null when there is none. */
  findTokenById(query: { tokenId: string }): Promise<AdminToken | null>;
  /** Tokens of one organization, or (null) all of them. */
  listTokens(query: { organizationId: string | null }): Promise<readonly AdminToken[]>;
  /**
   * Up to `limit` of them after the one with the id `after`, in the same order, of all or of one maker; null: there is no
   * such one among them.
   */
  pageTokens(query: {
    organizationId: string | null;
    makerId: string | null;
    after: string | null;
    limit: number;
  }): Promise<readonly AdminToken[] | null>;
  /** Permanent; a repeated call returns the first revocation. Throws an AccountError for an unknown token. */
  revokeToken(revoke: { by: Actor; tokenId: string; revokedAt: number }): Promise<AdminToken>;

  /**
   * Gives a member a single-use link to set a password, valid for that long by the store's clock; it replaces an
   * earlier one.
   */
  setSignInLink(link: {
    by: Actor;
    organizationId: string;
    memberId: string;
    hash: string;
    lifetimeMs: number;
    expectedRole?: MemberRole;
  }): Promise<{ expiresAtMs: number }>;
  /**
   * Creates a single-use link that signs in an operator of that name; it replaces an earlier one of the name.
   */
  setOperatorLink(link: {
    by: Actor;
    name: string;
    hash: string;
    lifetimeMs: number;
  }): Promise<{ expiresAtMs: number }>;
  /** The person of a valid link with that hash; null when there is none. */
  findSignInLink(query: { hash: string }): Promise<Person | null>;
  /**
   * Uses a link: starts a session. For a member all other sessions end, and a hash sets the password. Null when the
   * link is not valid.
   */
  redeemSignInLink(redeem: {
    hash: string;
    passwordHash: string | null;
    session: NewSession;
  }): Promise<FoundSession | null>;
  /** The members with that e-mail address, in any letter case, who have a password: at most one per organization. */
  findPasswordHolders(query: { email: string }): Promise<readonly PasswordHolder[]>;
  /**
   * Changes a member's password, or with `expectedHash` null sets the first one, and ends all sessions; false when the
   * password is no longer `expectedHash`.
   */
  changePassword(change: { memberId: string; expectedHash: string | null; passwordHash: string }): Promise<boolean>;

  /**
   * Starts a session if the member's password is still `expectedHash`; otherwise null. Beyond SESSIONS_PER_PERSON_MAX
   * it ends the person's oldest one.
   */
  startSession(start: { memberId: string; expectedHash: string; session: NewSession }): Promise<FoundSession | null>;
  /**
   * Starts a session of the organization's member with that identity at a provider. If there is none, the member with
   * that e-mail address gets the identity, or, if `mayAdd`, a new member. The member also gets the role, unless that
   * would leave the organization without an owner. `taken`: the member with that address has another identity;
   * `not_a_member`: there is no such member, and none may be added. Throws an AccountError for an unknown organization.
   */
  startSessionByIdentity(start: IdentityStart): Promise<IdentityOutcome>;
  /** Starts a session of an operator of that name, with that identity at a provider. */
  startOperatorSession(start: { name: string; identity: ProviderIdentity; session: NewSession }): Promise<FoundSession>;
  /**
   * Applies what the provider's rules give an identity now. The members with that identity get the role of their
   * organization, unless that would leave it without an owner; the sessions of members whose organization is not among
   * the places end, and so do those of the operator without that place.
   */
  followProvider(follow: {
    by: Actor;
    identity: ProviderIdentity;
    places: readonly ({ role: "operator" } | { role: MemberRole; organizationId: string })[];
  }): Promise<void>;

  /** The session of that hash, with its person as it is now; null when it has expired by the store's clock. */
  findSession(query: { hash: string; lifetime: SessionLifetime }): Promise<FoundSession | null>;
  /** Records that a session was used now. */
  touchSession(query: { id: string }): Promise<void>;
  /** The sessions of a member, or (null) of all operators, newest first. */
  listSessions(query: { memberId: string | null; lifetime: SessionLifetime }): Promise<readonly ListedSession[]>;
  /**
   * Ends sessions by their ids; harmless for those that have ended. `of`: the member of whom they are, with the role
   * that the decision was based on. `tokensOf`: whose management tokens are revoked with them. Throws an AccountError
   * when the member has another role now, or is gone.
   */
  endSessions(end: {
    by: Actor;
    ids: readonly string[];
    tokensOf?: Actor;
    of?: { organizationId: string; memberId: string; expectedRole: MemberRole };
  }): Promise<void>;
}
