// Who manages: the platform's operator, and the members of an organization by their role. @spec authentication

export const MEMBER_ROLES = ["owner", "admin", "member"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const MANAGE_ROLES = ["operator", ...MEMBER_ROLES] as const;
export type ManageRole = (typeof MANAGE_ROLES)[number];

/** What makes a change, as the audit log has it: a command, a program's token, a person, or the service itself. */
export const ACTOR_KINDS = ["cli", "token", "member", "service"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
