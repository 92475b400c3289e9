// Permissions of API keys and of management tokens. @spec authentication

export const KEY_PERMISSIONS = ["all", "read", "none"] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

export const TOKEN_PERMISSIONS = ["all", "read"] as const;
export type TokenPermission = (typeof TOKEN_PERMISSIONS)[number];
