// The values of LOG_LEVEL, apart from the logger so that reading them loads nothing.
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
