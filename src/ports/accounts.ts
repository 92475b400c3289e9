// What the service, the command line and the management interface ask of the store about organizations, members and keys. Every
// change says who makes it (`by`) and is a row of the audit log in the same transaction (ports/audit.ts). @spec authentication
import type { KeyPermission } from "../contract/manage/keys.ts";
import type { MemberRole } from "../contract/manage/roles.ts";
import type { Actor } from "./audit.ts";

/** An organization's own limits; null: the service's default holds. */
export interface OrganizationLimits {
  readonly createPerMinute: number | null;
  readonly retrievePerMinute: number | null;
  readonly deletePerMinute: number | null;
  readonly openStreams: number | null;
}

/** Which models an organization may use, and how many tool calls a turn. @spec authentication */
export interface OrganizationPolicy {
  /** Null: every model; else only these. */
  readonly allowModels: readonly string[] | null;
  readonly denyModels: readonly string[];
  readonly toolCallsPerTurn: number | null;
}

/** The policy of an organization that has no rule. */
export const NO_POLICY: OrganizationPolicy = { allowModels: null, denyModels: [], toolCallsPerTurn: null };

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly plan: boolean;
  readonly paymentMethod: boolean;
  readonly suspended: boolean;
  /** Balance in nano-credits (a credit is 1,000,000,000). */
  readonly creditsNano: bigint;
  readonly policy: OrganizationPolicy;
  readonly limits: OrganizationLimits;
  /** Unix seconds. */
  readonly createdAt: number;
}

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
  /** Unix seconds. */
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** What a look-up id finds: the hash of its secret, its key and organization as they are at this moment. */
export interface FoundKey {
  readonly secretHash: string;
  readonly key: ApiKey;
  readonly organization: Organization;
}

export interface NewSecret {
  readonly lookup: string;
  readonly hash: string;
}

/** Refused by a rule of the account tables: a duplicate name, an unknown id, the last owner. The message is for the operator. */
export class AccountError extends Error {
  override readonly name = "AccountError";
}

export interface AccountStore {
  /** The key that a look-up id belongs to, its secret still valid by the store's clock and the key not revoked; else null. */
  findKey(query: { lookup: string }): Promise<FoundKey | null>;

  createOrganization(create: { by: Actor; id: string; name: string; createdAt: number }): Promise<Organization>;
  listOrganizations(): Promise<readonly Organization[]>;
  /** By id or by name; null when there is none. */
  findOrganization(query: { idOrName: string }): Promise<Organization | null>;
  /**
   * Changes what is given and keeps the rest, rule by rule of policy and limits too. Throws an AccountError for an unknown
   * organization or a name that another one has.
   */
  updateOrganization(update: {
    by: Actor;
    organizationId: string;
    name?: string;
    plan?: boolean;
    paymentMethod?: boolean;
    suspended?: boolean;
    policy?: Partial<OrganizationPolicy>;
    limits?: Partial<OrganizationLimits>;
  }): Promise<Organization>;
  /**
   * Posts a top-up to the ledger. Repeated with the same transaction id, organization and amount it posts nothing more and answers the
   * organization; an id that stands for another top-up throws an AccountError.
   */
  addCredits(add: {
    by: Actor;
    transactionId: string;
    organizationId: string;
    amountNano: bigint;
    createdAt: number;
  }): Promise<Organization>;

  /** Throws an AccountError when the organization has a member of that address, in any letter case. */
  addMember(add: Member & { by: Actor; createdAt: number }): Promise<Member>;
  /** Ends the member's sessions too. `expectedRole`: the role that the decision was taken on; when it is another by now, an AccountError. */
  removeMember(query: {
    by: Actor;
    organizationId: string;
    memberId: string;
    expectedRole?: MemberRole;
  }): Promise<void>;
  setMemberRole(update: {
    by: Actor;
    organizationId: string;
    memberId: string;
    role: MemberRole;
    expectedRole?: MemberRole;
  }): Promise<Member>;
  listMembers(query: { organizationId: string }): Promise<readonly Member[]>;

  createKey(create: { by: Actor; key: ApiKey; secret: NewSecret }): Promise<ApiKey>;
  /** Gives a key a new secret; the old ones stay valid for `graceSeconds` by the store's clock. Throws an AccountError when the key is unknown or revoked. */
  rotateKey(rotate: {
    by: Actor;
    keyId: string;
    secret: NewSecret;
    graceSeconds: number;
  }): Promise<{ key: ApiKey; oldSecretValidUntilMs: number }>;
  /** Permanent; repeated it answers the first revocation. */
  revokeKey(query: { by: Actor; keyId: string; revokedAt: number }): Promise<ApiKey>;
  /** A key by its id, revoked ones too; null when there is none. */
  findKeyById(query: { keyId: string }): Promise<ApiKey | null>;
  listKeys(query: { organizationId: string }): Promise<readonly ApiKey[]>;
}
