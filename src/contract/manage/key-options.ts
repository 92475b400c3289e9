// Permissions of API keys, and the grace periods of a rotation. @spec authentication

export const KEY_PERMISSIONS = ["all", "read", "none"] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

/** How long the old secret of a rotated key stays valid, seconds. */
export const GRACE_SECONDS = { none: 0, "1h": 3600, "24h": 86_400, "7d": 604_800 } as const;
export type Grace = keyof typeof GRACE_SECONDS;
