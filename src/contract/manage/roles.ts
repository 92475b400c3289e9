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

/** The kinds of actors in the audit log: the command line, a token, a person of either kind, or the service itself. */
export const ACTOR_KINDS = ["cli", "token", "member", "operator", "service"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
