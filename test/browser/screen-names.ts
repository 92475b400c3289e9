// The screens that the menu of an owner leads to, by their headings; the first one is where a sign-in leads.
export const OF_OWNERS = [
  "Overview",
  "Keys",
  "Usage",
  "Responses",
  "Errors",
  "Budgets and credits",
  "Members and tokens",
  "Policy and limits",
  "Events",
  "Audit log",
  "Playground",
  "Models",
  "Account",
] as const;
