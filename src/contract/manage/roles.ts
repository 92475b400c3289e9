// Who manages: the platform's operator, and the members of an organization by their role. @spec authentication

export const MEMBER_ROLES = ["owner", "admin", "member"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const MANAGE_ROLES = ["operator", ...MEMBER_ROLES] as const;
export type ManageRole = (typeof MANAGE_ROLES)[number];
