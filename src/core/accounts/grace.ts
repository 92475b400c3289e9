// How long the old secret of a rotated key may stay valid, seconds. @spec authentication

export const GRACE_SECONDS = { none: 0, "1h": 3600, "24h": 86_400, "7d": 604_800 } as const;
export type Grace = keyof typeof GRACE_SECONDS;
