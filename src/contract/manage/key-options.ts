// Permissions of API keys. @spec authentication

export const KEY_PERMISSIONS = ["all", "read", "none"] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];
