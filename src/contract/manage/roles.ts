// Roles in the management interface: the operator of the service, and the members of an organization.
// @spec authentication

export const MEMBER_ROLES = ["owner", "admin", "member"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const MANAGE_ROLES = ["operator", ...MEMBER_ROLES] as const;
export type ManageRole = (typeof MANAGE_ROLES)[number];

/** Who may use an operation; the operator may always. */
export const EVERYBODY = [...MANAGE_ROLES] as const;
export const MANAGERS = ["operator", "owner", "admin"] as const;
export const OWNER = ["operator", "owner"] as const;
export const OPERATOR = ["operator"] as const;

/**
 * `public`: no sign-in is needed. `key`: for the holder of an API key, about that key. `self`: about the caller.
 * `platform`: about the whole service. `organization`: about the one in the path, which is a 404 for everyone but its
 * members and the operator.
 */
export type ManageScope = "public" | "key" | "self" | "platform" | "organization";

/** The kinds of actors in the audit log: the command line, a token, a person of either kind, or the service itself. */
export const ACTOR_KINDS = ["cli", "token", "member", "operator", "service"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
