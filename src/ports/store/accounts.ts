// What the store does with organizations, members and keys, for the service, the command line and the management
// interface. Every change names its actor (`by`) and is recorded in the audit log in the same transaction
// (ports/store/audit.ts). @spec authentication
import { type KeyPermission, NEW_KEY } from "../../contract/manage/key-options.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import type { MemberRole } from "../../contract/manage/roles.ts";
import type { Actor } from "./audit.ts";
import { type KeyLimits, NO_KEY_LIMITS, type OrganizationLimits } from "./limits.ts";

/** Which models an organization may use, and how many tool calls a turn may have. @spec authentication */
export interface OrganizationPolicy {
  /** Null: every model; otherwise only these. */
  readonly allowModels: readonly string[] | null;
  readonly denyModels: readonly string[];
  readonly toolCallsPerTurn: number | null;
}

/** The policy of an organization without rules. */
export const NO_POLICY: OrganizationPolicy = { allowModels: null, denyModels: [], toolCallsPerTurn: null };

/** Who sets a rule: the operator of the service, or an owner or admin of the organization. */
export type RuleSetter = "operator" | "organization";

/** Rules that the operator and the organization may each set; the tighter one is in force. */
export interface OrganizationRules {
  readonly policy: OrganizationPolicy;
  readonly limits: OrganizationLimits;
  readonly retentionDays: number | null;
}

/** What each has set; a part that it never set is absent. Absent in both: set before there were ceilings, or never. */
export type RulesBySetter = Readonly<Record<RuleSetter, Partial<OrganizationRules>>>;

/** Of an organization without rules. */
export const NO_RULES: RulesBySetter = { operator: {}, organization: {} };

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: boolean;
  readonly paymentMethod: boolean;
  readonly suspended: boolean;
  /** How many days after its last use a history is kept; null: as long as the service keeps it. */
  readonly retentionDays: number | null;
  /** Balance in nano-credits (a credit is 1,000,000,000). */
  readonly creditsNano: bigint;
  /** What running responses have reserved besides. */
  readonly heldNano: bigint;
  /** In force, as `limits` and `retentionDays` are: the tighter of what `rules` has. */
  readonly policy: OrganizationPolicy;
  readonly limits: OrganizationLimits;
  readonly rules: RulesBySetter;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Since when it is deleted; its name is its id from then on. Null: it is not. */
  readonly deletedAtMs: number | null;
  /** Since when nothing of it is left to erase. */
  readonly erasedAtMs: number | null;
}

/**
 * `more`: another piece has something to do. `waiting`: only responses that still run have content. `done`: nothing is
 * left.
 */
export type ErasureState = "more" | "waiting" | "done";

export interface Member {
  readonly id: string;
  readonly organizationId: string;
  readonly email: string;
  readonly role: MemberRole;
}

export interface ApiKey {
  readonly id: string;
  readonly organizationId: string;
  readonly memberId: string | null;
  readonly name: string;
  readonly permission: KeyPermission;
  /** How a user turn treats waiting calls when its request does not say (svc:unanswered_calls). */
  readonly unansweredCalls: UnansweredCalls;
  readonly limits: KeyLimits;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** A key and its use. */
export interface ListedKey extends ApiKey {
  /** When its last response began, Unix seconds; null: it has none. */
  readonly lastUsedAt: number | null;
  /** When the grace of its last old secret ends, milliseconds; null: only its current secret is valid. */
  readonly oldSecretsUntilMs: number | null;
}

/** An organization to create. */
export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly credits?: { readonly transactionId: string; readonly amountNano: bigint };
}

/** What a key has that was created without it. */
export const KEY_DEFAULTS: Pick<ApiKey, "permission" | "unansweredCalls" | "limits"> = {
  permission: NEW_KEY.permissions,
  unansweredCalls: NEW_KEY.unanswered_calls,
  limits: NO_KEY_LIMITS,
};

/** A key to create. */
export type NewKey = Omit<ApiKey, keyof typeof KEY_DEFAULTS> & Partial<typeof KEY_DEFAULTS>;

/** The result of a lookup: the hash of the secret, with its key and organization as they are now. */
export interface FoundKey {
  readonly secretHash: string;
  /** The end of a rotated secret's grace by the store's clock; null: it has no end. */
  readonly secretExpiresAtMs: number | null;
  readonly key: ApiKey;
  readonly organization: Organization;
}

export interface NewSecret {
  readonly lookup: string;
  readonly hash: string;
  /** The check value of the root secret that the hash was made with. */
  readonly root?: string;
}

/** A hash that replaces another one of the same secret, made with another root secret. */
export interface HashRenewal extends Required<NewSecret> {
  /** The hash that is replaced. */
  readonly from: string;
}

/**
 * Thrown when a rule of the account tables is violated: a duplicate name, an unknown id, the last owner. The message is
 * for the operator.
 */
export class AccountError extends Error {
  override readonly name = "AccountError";
}

/** Thrown when an organization would loosen or remove what the operator has set. */
export class CeilingError extends AccountError {}

/** `what`: the operator's rule, such as `days to 60`. */
export function ceilingError(what: string): CeilingError {
  return new CeilingError(
    `The operator of the service has set ${what}. Owners and admins may set something tighter, but cannot loosen or remove it.`,
  );
}

/** A page of a list of an organization; `after` is null for the first. */
export type AccountPage = {
  readonly organizationId: string;
  readonly after: string | null;
  readonly limit: number;
};

export interface AccountStore {
  /** The key of a lookup id; null unless its secret is valid by the store's clock and the key is not revoked. */
  findKey(query: { lookup: string }): Promise<FoundKey | null>;
  /** Replaces the hash of a key's secret, unless it is another one than `from` by now. */
  renewKeyHash(renewal: HashRenewal): Promise<void>;

  /**
   * Creates an organization: without plan, payment method and credits, or, if `credits` are given, with all three, so
   * that it is served at once. Throws an AccountError when the name is taken.
   */
  createOrganization(create: NewOrganization & { by: Actor }): Promise<Organization>;
  /**
   * Creates an organization with its owner and its key, or nothing where there is or was an organization. Resolves to
   * whether it was created: of several calls at the same time one creates it.
   */
  createFirstOrganization(create: {
    by: Actor;
    organization: NewOrganization;
    owner: Member & { createdAt: number };
    key: NewKey;
    secret: NewSecret;
  }): Promise<boolean>;
  /** All that are not deleted. */
  listOrganizations(): Promise<readonly Organization[]>;
  /** The deleted ones, or only those of which something may be left to erase. */
  listDeletedOrganizations(query: { onlyUnerased: boolean }): Promise<readonly Organization[]>;
  /** By id or by name; null when there is none. */
  findOrganization(query: { idOrName: string }): Promise<Organization | null>;
  /**
   * Changes the given fields and keeps the others, including single rules of policy and limits. Rules are those of
   * `setBy` (default: the organization). Throws an AccountError for an unknown organization or a name that is taken.
   */
  updateOrganization(update: {
    by: Actor;
    organizationId: string;
    name?: string;
    plan?: boolean;
    paymentMethod?: boolean;
    suspended?: boolean;
    retentionDays?: number | null;
    policy?: Partial<OrganizationPolicy>;
    limits?: Partial<OrganizationLimits>;
    setBy?: RuleSetter;
  }): Promise<Organization>;
  /**
   * Deletes an organization: its keys, tokens, sessions, members and budgets are gone when this resolves, its rules and
   * names are forgotten, and every change of it throws an AccountError. What is left is for `eraseOrganization`. A
   * repeated call returns the first deletion. Throws an AccountError for an unknown organization.
   */
  deleteOrganization(query: { by: Actor; organizationId: string }): Promise<Organization>;
  /**
   * Erases up to `batch` rows of a deleted organization, and about 4 MiB: the content of its histories, its idempotency
   * keys, its events, and the values of its entries in the audit log. What the books need stays: ids, models, tokens,
   * times and charges. Calls in any order and from several processes at once are harmless. `mayBlockWrites`: as of
   * `eraseDeleted`. Throws an AccountError for an organization that is not deleted.
   */
  eraseOrganization(query: {
    by: Actor;
    organizationId: string;
    batch: number;
    mayBlockWrites: boolean;
  }): Promise<{ erased: number; state: ErasureState }>;
  /**
   * Posts a top-up to the ledger. A repeated call with the same transaction id, organization and amount posts nothing
   * and returns the organization; a transaction id of another top-up throws an AccountError.
   */
  addCredits(add: {
    by: Actor;
    transactionId: string;
    organizationId: string;
    amountNano: bigint;
    createdAt: number;
  }): Promise<Organization>;

  /** Throws an AccountError when the organization has a member with that address, in any letter case. */
  addMember(add: Member & { by: Actor; createdAt: number }): Promise<Member>;
  /**
   * Ends the member's sessions too, with `endsKeys` the member's keys, and with `endsTokens` the management tokens that
   * the member made. `expectedRole` is the role that the decision was based on; throws an AccountError when the member
   * has another one now.
   */
  removeMember(query: {
    by: Actor;
    organizationId: string;
    memberId: string;
    expectedRole?: MemberRole;
    endsKeys?: boolean;
    endsTokens?: boolean;
  }): Promise<void>;
  setMemberRole(update: {
    by: Actor;
    organizationId: string;
    memberId: string;
    role: MemberRole;
    expectedRole?: MemberRole;
  }): Promise<Member>;
  listMembers(query: { organizationId: string }): Promise<readonly Member[]>;
  /** Up to `limit` members after the one with the id `after`, in the order of `listMembers`; null: there is no such. */
  pageMembers(query: AccountPage): Promise<readonly Member[] | null>;

  createKey(create: { by: Actor; key: NewKey; secret: NewSecret }): Promise<ApiKey>;
  /** Changes what is given. Throws an AccountError when the key is unknown or revoked. */
  updateKey(update: {
    by: Actor;
    keyId: string;
    unansweredCalls?: UnansweredCalls;
    limits?: Partial<KeyLimits>;
  }): Promise<ApiKey>;
  /**
   * Gives a key a new secret; the old ones stay valid for `graceSeconds` by the store's clock. Throws an AccountError
   * when the key is unknown or revoked.
   */
  rotateKey(rotate: {
    by: Actor;
    keyId: string;
    secret: NewSecret;
    graceSeconds: number;
  }): Promise<{ key: ApiKey; oldSecretValidUntilMs: number }>;
  /** Permanent; a repeated call returns the first revocation. */
  revokeKey(query: { by: Actor; keyId: string; revokedAt: number }): Promise<ApiKey>;
  /** A key by its id, revoked or not; null when there is none. */
  findKeyById(query: { keyId: string }): Promise<ApiKey | null>;
  listKeys(query: { organizationId: string }): Promise<readonly ListedKey[]>;
  /** The same of keys, of all or of one member. */
  pageKeys(query: AccountPage & { memberId: string | null }): Promise<readonly ListedKey[] | null>;
}
