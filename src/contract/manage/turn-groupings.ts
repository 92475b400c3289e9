// What the log of turns is grouped by. docs/management.md (The log of turns)

/** Each names the filter of the log that selects one of its groups. */
export const TURN_GROUPINGS = ["end_user", "label", "conversation", "model", "key", "member"] as const;
export type TurnGrouping = (typeof TURN_GROUPINGS)[number];
