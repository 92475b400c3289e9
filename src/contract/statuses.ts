// The statuses of a response. @spec states-and-transitions
export const RUNNING_STATUSES = ["queued", "in_progress"] as const;
export const TERMINAL_STATUSES = ["completed", "incomplete", "failed", "cancelled"] as const;
export const RESPONSE_STATUSES = [...RUNNING_STATUSES, ...TERMINAL_STATUSES] as const;

export type RunningStatus = (typeof RUNNING_STATUSES)[number];
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];
export type ResponseStatus = (typeof RESPONSE_STATUSES)[number];

/** Whether a status is final. */
export function isTerminal(status: ResponseStatus): status is TerminalStatus {
  return status !== "queued" && status !== "in_progress";
}
