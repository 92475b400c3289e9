// The screens that the menu of an owner leads to, by their headings; the first one is where a sign-in leads. Tab finds
// the menu's entry first: the table of Usage has a title "Responses".
export const OF_OWNERS = [
  "Overview",
  "Keys",
  "Usage",
  "Errors",
  "Responses",
  "Budgets and credits",
  "Members and tokens",
  "Policy and limits",
  "Events",
  "Audit log",
  "Playground",
  "Models",
  "Account",
] as const;
