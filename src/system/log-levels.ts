// The values of LOG_LEVEL, separate from the logger so that importing them does not load it.
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
