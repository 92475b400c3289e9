// Who manages: the platform's operator, and the members of an organization by their role. @spec authentication

export const MANAGE_ROLES = ["operator", "owner", "admin", "member"] as const;
export type ManageRole = (typeof MANAGE_ROLES)[number];
