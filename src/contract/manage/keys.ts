// What a key may do, and how long the old secret of a rotated one may stay valid. @spec authentication

export const KEY_PERMISSIONS = ["all", "read", "none"] as const;
export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

/** Seconds of each choice of a grace period. */
export const GRACE_SECONDS = { none: 0, "1h": 3600, "24h": 86_400, "7d": 604_800 } as const;
export type Grace = keyof typeof GRACE_SECONDS;
