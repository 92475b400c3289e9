// What each operation of the management interface is, in words.
import type { ManageOperation } from "./routes.ts";

export interface OperationWords {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
}

/** Every operation of the route table. */
export const OPERATION_WORDS: Readonly<Record<ManageOperation, OperationWords>> = {
  signIn: {
    tag: "Session",
    summary: "Sign in with e-mail address and password",
    description: "Sets the session's cookie. A session ends when it is not used for 12 hours, and after 7 days.",
  },
  redeemSignInLink: {
    tag: "Session",
    summary: "Set a password by a sign-in link, and sign in",
    description: "The link is used up; other sessions end.",
  },
  showSession: { tag: "Session", summary: "Show who is asking" },
  changePassword: { tag: "Session", summary: "Change the password", description: "Signs the person out everywhere." },
  signOut: { tag: "Session", summary: "Sign out" },
  listModels: { tag: "Platform", summary: "List the catalog" },
  listOrganizations: { tag: "Organizations", summary: "List all organizations" },
  createOrganization: {
    tag: "Organizations",
    summary: "Make an organization",
    description: "Without plan, payment method and credits.",
  },
  showOrganization: { tag: "Organizations", summary: "Show an organization" },
  renameOrganization: { tag: "Organizations", summary: "Give an organization another name" },
  suspendOrganization: {
    tag: "Organizations",
    summary: "Suspend an organization",
    description: "Its requests under /v1 are refused with 403 `access_denied` until it is resumed.",
  },
  resumeOrganization: { tag: "Organizations", summary: "Serve a suspended organization again" },
  listMembers: { tag: "Members", summary: "List the members" },
  addMember: { tag: "Members", summary: "Add a person", description: "Only an owner adds an owner." },
  setMemberRole: {
    tag: "Members",
    summary: "Give a person another role",
    description: "Only an owner makes or unmakes owners; the last owner stays one.",
  },
  removeMember: {
    tag: "Members",
    summary: "Take a person out",
    description: "The person is signed out everywhere; the person's keys stay, as nobody's. The last owner stays.",
  },
  createSignInLink: {
    tag: "Members",
    summary: "Make a link by which a person sets a password",
    description: "Good once, for 24 hours; an earlier one ends. Only an owner makes one for an owner.",
  },
  listKeys: { tag: "Keys", summary: "List the API keys", description: "A member sees the member's own." },
  createKey: { tag: "Keys", summary: "Make an API key" },
  rotateKey: {
    tag: "Keys",
    summary: "Give a key a new secret",
    description: "It keeps its name, spend and conversations. The old secret stays valid for the grace.",
  },
  revokeKey: {
    tag: "Keys",
    summary: "End a key, at once and for good",
    description: "Conversations that it started cannot be continued.",
  },
  setPaymentMethod: { tag: "Money", summary: "Note that a payment method is on file" },
  clearPaymentMethod: { tag: "Money", summary: "Note that there is no payment method any more" },
  startPlan: { tag: "Money", summary: "Start the plan" },
  stopPlan: { tag: "Money", summary: "Stop the plan" },
  showCredits: { tag: "Money", summary: "Show the balance" },
  addCredits: {
    tag: "Money",
    summary: "Add credits",
    description: "With a `transaction_id` a retry adds nothing more.",
  },
  listBudgets: { tag: "Money", summary: "List the budgets", description: "Each in its current period." },
  setBudget: {
    tag: "Money",
    summary: "Set the limit of a budget",
    description: "The period is `total` when not given; `organization-day` and `response` need none.",
  },
  clearBudget: { tag: "Money", summary: "Take a budget away" },
  setPolicy: { tag: "Organizations", summary: "Set rules of the model policy" },
  setLimits: { tag: "Organizations", summary: "Set limits of the organization's own" },
  readUsage: {
    tag: "Money",
    summary: "Show what was used and charged",
    description: "A member sees what the member's own keys did.",
  },
  listAudit: { tag: "Audit log", summary: "List the organization's changes" },
  listTokens: { tag: "Tokens", summary: "List the organization's tokens" },
  createToken: {
    tag: "Tokens",
    summary: "Make a token of the organization",
    description: "Only an owner makes one with the role owner.",
  },
  revokeToken: {
    tag: "Tokens",
    summary: "End a token of the organization, at once and for good",
    description: "Only an owner ends one with the role owner.",
  },
  listAllTokens: { tag: "Tokens", summary: "List all tokens" },
  createOperatorToken: { tag: "Tokens", summary: "Make a token of the operator" },
  revokeAnyToken: { tag: "Tokens", summary: "End any token, at once and for good" },
  listAllAudit: { tag: "Audit log", summary: "List all changes" },
  verifyAudit: {
    tag: "Audit log",
    summary: "Check that no entry was changed or taken out",
    description: "Note the `head` elsewhere: given later, it finds a log that was cut or rewritten since.",
  },
  eraseDeleted: { tag: "Platform", summary: "Erase now what was deleted long enough ago" },
  reconcile: {
    tag: "Platform",
    summary: "Work the books out anew and compare",
    description: "Amounts are nano-credits.",
  },
};
