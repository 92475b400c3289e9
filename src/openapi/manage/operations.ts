// Descriptions of the operations of the management interface.
import type { ManageOperation } from "../../contract/manage/routes.ts";
import { TURN_OPERATIONS } from "./turn-operations.ts";
import type { OperationText } from "./operation-text.ts";

const AUDIT_PAGES =
  "Newest first. A page of a filter may have fewer entries than `limit`, or none, while `has_more` is true: go on with its `older`.";

/** Every operation of the route table. */
export const MANAGE_OPERATIONS: Readonly<Record<ManageOperation, OperationText>> = {
  signIn: {
    tag: "Session",
    summary: "Sign in with e-mail address and password",
    description: "Sets the session cookie. A session ends after 12 hours without use, and after 7 days at the latest.",
  },
  redeemSignInLink: {
    tag: "Session",
    summary: "Sign in with a sign-in link",
    description:
      "The link can be used once. Other sessions of a member end; with a `password` it becomes the member's. An operator has none.",
  },
  showKeyHolder: {
    tag: "Key holder",
    summary: "Show an API key's own standing",
    description:
      "The key that authenticates the request, its usage, its budgets and the rate limits. Nothing of other keys. The request counts as one of the class `retrieve`.",
  },
  requestIncrease: {
    tag: "Key holder",
    summary: "Ask for more than a budget's limit",
    description:
      "For a budget that the key's responses count in. Owners and admins see the request until they grant or decline it, or the budget's period ends. A later request for the same budget replaces it. The request counts as one of the class `retrieve`.",
  },
  showSignIn: { tag: "Session", summary: "Show the ways to sign in" },
  beginSingleSignOn: {
    tag: "Session",
    summary: "Begin to sign in at the provider of single sign-on",
    description:
      "Sets a cookie that `finishSingleSignOn` needs, for 10 minutes. The provider sends the browser back to `/sign-in/callback`.",
  },
  finishSingleSignOn: {
    tag: "Session",
    summary: "Sign in with what the provider of single sign-on sent",
    description: "Sets the session cookie. The person gets the role that the rules of `turngate.yaml` give.",
  },
  showSession: { tag: "Session", summary: "Show who is signed in" },
  changePassword: {
    tag: "Session",
    summary: "Change the password",
    description: "Signs the person out everywhere. A person without a password sets the first one.",
  },
  signOut: { tag: "Session", summary: "Sign out" },
  listSessions: {
    tag: "Session",
    summary: "List the caller's sessions",
    description: "Newest first. An operator's are those of the same name.",
  },
  endSessions: { tag: "Session", summary: "Sign out everywhere", description: "Ends the session of the request too." },
  endSession: { tag: "Session", summary: "End one of the caller's sessions" },
  listModels: { tag: "Platform", summary: "List the catalog" },
  listOrganizations: { tag: "Organizations", summary: "List all organizations" },
  createOrganization: {
    tag: "Organizations",
    summary: "Create an organization",
    description:
      "With `credits`, the organization also gets a plan and a payment method and can send requests at once; without, it has none of them.",
  },
  showOrganization: { tag: "Organizations", summary: "Show an organization" },
  renameOrganization: { tag: "Organizations", summary: "Rename an organization" },
  suspendOrganization: {
    tag: "Organizations",
    summary: "Suspend an organization",
    description: "Its requests under /v1 get 403 `access_denied` until it is resumed.",
  },
  resumeOrganization: { tag: "Organizations", summary: "Resume a suspended organization" },
  deleteOrganization: {
    tag: "Organizations",
    summary: "Delete an organization with everything that it has, permanently",
    description:
      "When this returns, its keys, tokens and sessions are invalid everywhere and its running turns are being cancelled. Its content is erased from then on; `erased_at` says when nothing is left. The ledger, the usage and the log of turns keep ids and figures, the audit log its entries without their values. Every other change of it is a 400. There is no undelete.",
  },
  listMembers: { tag: "Members", summary: "List the members" },
  addMember: { tag: "Members", summary: "Add a member", description: "Only an owner can add an owner." },
  setMemberRole: {
    tag: "Members",
    summary: "Change a member's role",
    description: "Only an owner can change who is an owner; the last owner keeps the role.",
  },
  removeMember: {
    tag: "Members",
    summary: "Remove a member",
    description:
      "The person is signed out everywhere. Their keys stay valid, without an owner. The last owner cannot be removed.",
  },
  createSignInLink: {
    tag: "Members",
    summary: "Create a link with which a person sets a password",
    description: "Valid once, for 24 hours; it replaces an earlier link. Only an owner can create one for an owner.",
  },
  listMemberSessions: {
    tag: "Members",
    summary: "List the sessions of a member",
    description: "Newest first. Only an owner can list those of an owner.",
  },
  endMemberSessions: {
    tag: "Members",
    summary: "Sign a member out everywhere",
    description: "Only an owner can sign out an owner.",
  },
  endMemberSession: {
    tag: "Members",
    summary: "End one of a member's sessions",
    description: "Only an owner can end one of an owner.",
  },
  listKeys: { tag: "Keys", summary: "List the API keys", description: "Members see only their own." },
  createKey: { tag: "Keys", summary: "Create an API key" },
  updateKey: { tag: "Keys", summary: "Change a key's defaults for requests" },
  rotateKey: {
    tag: "Keys",
    summary: "Rotate a key's secret",
    description: "The key keeps its name, spending and conversations. The old secret stays valid for the grace period.",
  },
  revokeKey: {
    tag: "Keys",
    summary: "Revoke a key, immediately and permanently",
    description: "Conversations that it started cannot be continued.",
  },
  setPaymentMethod: { tag: "Money", summary: "Record that a payment method is on file" },
  clearPaymentMethod: { tag: "Money", summary: "Record that no payment method is on file" },
  startPlan: { tag: "Money", summary: "Start the plan" },
  stopPlan: { tag: "Money", summary: "Stop the plan" },
  showCredits: { tag: "Money", summary: "Show the balance" },
  addCredits: {
    tag: "Money",
    summary: "Add credits",
    description: "With a `transaction_id`, a retry does not add credits again.",
  },
  listBudgets: {
    tag: "Money",
    summary: "List the budgets",
    description: "Each with the amounts of its current period.",
  },
  setBudget: {
    tag: "Money",
    summary: "Set the limit of a budget",
    description: "The default period is `total`; `organization-day` and `response` need none.",
  },
  raiseBudget: {
    tag: "Money",
    summary: "Raise a budget for a while",
    description: "The raise ends by itself, by the store's clock. It replaces an earlier one of the same budget.",
  },
  clearBudget: { tag: "Money", summary: "Remove a budget" },
  listIncreases: {
    tag: "Money",
    summary: "List what holders of keys ask for beyond their budgets",
    description: "The requests that nobody has answered yet, newest first; at most 500.",
  },
  grantIncrease: {
    tag: "Money",
    summary: "Grant a request for more than a budget's limit",
    description:
      "The budget is raised by the amount until the end of its period, on top of a raise that is in force. A budget without periods gets a higher limit.",
  },
  declineIncrease: { tag: "Money", summary: "Decline a request for more than a budget's limit" },
  tryBudget: {
    tag: "Money",
    summary: "Try a budget on the last month",
    description:
      "What a budget would have rejected since the beginning of its period 30 days ago, before it is set. Nothing is changed. The parameters are the fields of the body that sets it; the scope `response` cannot be tried.",
  },
  setPolicy: { tag: "Organizations", summary: "Change the model policy" },
  tryPolicy: {
    tag: "Organizations",
    summary: "Try a model policy on the last month",
    description: "The turns of the last 30 days on models that it would not have allowed. Nothing is changed.",
  },
  showLimits: {
    tag: "Organizations",
    summary: "Show the limits that are in force, and what is used of them on the node that answers",
    description: "Draws nothing.",
  },
  setLimits: { tag: "Organizations", summary: "Change the organization's limits" },
  showRetention: { tag: "Organizations", summary: "Show how long histories are kept" },
  setRetention: {
    tag: "Organizations",
    summary: "Set how long histories are kept",
    description:
      "A history is deleted, and its content erased, that many days after the last turn or the last added item. It cannot be kept longer than the service does, nor shorter than an `Idempotency-Key`: 400 `invalid_input`.",
  },
  readUsage: {
    tag: "Money",
    summary: "Show usage and charges",
    description:
      "Members see only the usage of their own keys. Rows come in the order of their time, others by cost, highest first; they add up to the row without `by`. `from` and `to` of a row by a time, or of the reply, are those of the log of turns. More than 20,000 rows are a 400.",
  },
  listRunning: {
    tag: "Turns",
    summary: "List what runs and waits now, of the organization",
    description:
      "The turns are those of all nodes. Whether they are streamed, the queue and the open streams are known of the node that answers.",
  },
  listTransfers: {
    tag: "Money",
    summary: "List the transfers of the organization's ledger, newest first",
    description:
      "A top-up moves credits from `topups` to `credits`, a hold from `credits` to `held`, a settlement from `held` to `charged`, and what is left back to `credits`. A page reads a limited number of the service's transfers: it may have fewer than `limit`, or none, and `has_more` be true.",
  },
  ...TURN_OPERATIONS,
  listEvents: {
    tag: "Events",
    summary: "List the organization's events",
    description:
      "Budgets and credits that run low, and changes of keys, members, budgets, plan and policy. Newest first; with `after`, oldest first: read on from the last id to follow the feed. An id never comes before one that has been read. Events are kept for `limits.event_retention_days`.",
  },
  listAudit: { tag: "Audit log", summary: "List the audit log of the organization", description: AUDIT_PAGES },
  listTokens: { tag: "Tokens", summary: "List the organization's tokens" },
  createToken: {
    tag: "Tokens",
    summary: "Create a token of the organization",
    description: "Only an owner can create one with the role owner.",
  },
  revokeToken: {
    tag: "Tokens",
    summary: "Revoke a token of the organization, immediately and permanently",
    description: "Only an owner can revoke one with the role owner.",
  },
  listAllTokens: { tag: "Tokens", summary: "List all tokens" },
  createOperatorToken: { tag: "Tokens", summary: "Create an operator token" },
  revokeAnyToken: { tag: "Tokens", summary: "Revoke any token, immediately and permanently" },
  listProviders: {
    tag: "Platform",
    summary: "Show how the providers do",
    description:
      "Observed by the node that answers, since it started, from the calls that turns make. No provider is asked for it. Each attempt counts; a cancelled call does not.",
  },
  checkProviders: {
    tag: "Platform",
    summary: "Ask the providers whether they reply and accept their keys",
    description:
      "The node that answers asks each configured provider with each of its keys for its models, as `turngate doctor` does: 5 seconds at most for each. It changes nothing and has no entry in the audit log. A request during a check gets its result.",
  },
  showConfiguration: {
    tag: "Platform",
    summary: "Show the configuration in force, without its secrets",
    description: "That of the node that answers. Of an address it shows scheme, host and port.",
  },
  readAllUsage: {
    tag: "Money",
    summary: "Show usage and charges of all organizations",
    description: "As for one organization, also by organization and of one.",
  },
  listNodes: {
    tag: "Platform",
    summary: "List the processes that share the database",
    description:
      "The nodes on PostgreSQL, and those that left or died within the last day. With an embedded database there are none: one process serves on it.",
  },
  listAllRunning: {
    tag: "Turns",
    summary: "List what runs and waits now, of all organizations",
    description: "As for one organization.",
  },
  createOperatorLink: {
    tag: "Operators",
    summary: "Create a link that signs in an operator",
    description: "Valid once, for 15 minutes; it replaces an earlier link of the name.",
  },
  listOperatorSessions: {
    tag: "Operators",
    summary: "List the sessions of all operators",
    description: "Newest first.",
  },
  endOperatorSession: { tag: "Operators", summary: "End a session of an operator" },
  listAllEvents: {
    tag: "Events",
    summary: "List the events of all organizations and of the service",
    description:
      "As for one organization; also providers that fail or have recovered, and reloads of the configuration.",
  },
  listAllAudit: { tag: "Audit log", summary: "List the audit log of all organizations", description: AUDIT_PAGES },
  verifyAudit: {
    tag: "Audit log",
    summary: "Check that no entry of the audit log was changed or removed",
    description:
      "Keep the `head` elsewhere: a later check with it detects a log that was truncated or rewritten in between.",
  },
  eraseDeleted: { tag: "Platform", summary: "Erase deleted content whose retention has passed" },
  reloadConfiguration: {
    tag: "Platform",
    summary: "Read the configuration again",
    description:
      "Models, prices and providers change for new turns of this process. An invalid configuration changes nothing: 400, with the place and what is allowed.",
  },
  reconcile: {
    tag: "Platform",
    summary: "Recompute all balances and compare",
    description: "Amounts are nano-credits.",
  },
};
