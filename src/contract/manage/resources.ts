// The 200 responses of the management interface. Times are Unix seconds, credits decimal numbers, days UTC days.
import Type, { type TSchema } from "typebox";
import { AuditPage, AuditVerdict } from "./audit.ts";
import { Budget, BudgetIncrease } from "./budgets.ts";
import { ConfigurationChanges, ShownConfiguration } from "./configuration.ts";
import { EventPage } from "./events.ts";
import { KeyHolder } from "./key-holder.ts";
import { Key, ListedKey, NewKey, NewToken, Revoked, RotatedKey, Token } from "./keys.ts";
import { Reconciliation, TransferPage } from "./ledger.ts";
import { LimitsNow } from "./limits-now.ts";
import { Model } from "./models.ts";
import { NodeList } from "./nodes.ts";
import { Organization, Retention } from "./organization.ts";
import { ProviderCheck } from "./provider-check.ts";
import { ProviderHealth } from "./provider-health.ts";
import { RejectionDetail, RejectionPage } from "./rejections.ts";
import type { ManageOperation } from "./routes.ts";
import { AllRunning, Running } from "./running.ts";
import {
  BegunSignIn,
  ListedSession,
  Member,
  OperatorLink,
  OperatorSession,
  Session,
  SignIn,
  SignInLink,
} from "./sessions.ts";
import { BudgetTrial, PolicyTrial } from "./trials.ts";
import { TurnCounts, TurnDetail, TurnGroups, TurnPage, TurnSummary } from "./turns.ts";
import { UsageList } from "./usage.ts";

const Done = Type.Object({ done: Type.Boolean() });
const Erased = Type.Object({ erased: Type.Integer({ description: "number of rows" }) });

const list = (shape: TSchema) => Type.Object({ data: Type.Array(shape) });

export interface ResponseRule {
  /** Name of the OpenAPI component. */
  readonly name: string;
  readonly shape: TSchema;
}

const response = (name: string, shape: TSchema): ResponseRule => ({ name, shape });
const organization = response("Organization", Organization);
const audit = response("AuditPage", AuditPage);
const events = response("EventPage", EventPage);
const tokens = response("TokenList", list(Token));
const retention = response("Retention", Retention);
const newToken = response("NewToken", NewToken);
const revoked = response("Revoked", Revoked);
const session = response("Session", Session);
const sessions = response("SessionList", list(ListedSession));
const member = response("Member", Member);
const budget = response("Budget", Budget);
const done = response("Done", Done);
const usage = response("UsageList", UsageList);

/** The 200 response of each operation. */
export const MANAGE_RESPONSES: Readonly<Record<ManageOperation, ResponseRule>> = {
  signIn: session,
  redeemSignInLink: session,
  showSignIn: response("SignInWays", SignIn),
  beginSingleSignOn: response("BegunSignIn", BegunSignIn),
  finishSingleSignOn: session,
  showKeyHolder: response("KeyHolder", KeyHolder),
  showSession: session,
  changePassword: done,
  signOut: done,
  listSessions: sessions,
  endSessions: done,
  endSession: done,
  listModels: response("ModelList", list(Model)),
  listOrganizations: response("OrganizationList", list(Organization)),
  createOrganization: organization,
  showOrganization: organization,
  renameOrganization: organization,
  suspendOrganization: organization,
  resumeOrganization: organization,
  deleteOrganization: organization,
  listMembers: response("MemberList", list(Member)),
  addMember: member,
  setMemberRole: member,
  removeMember: member,
  createSignInLink: response("SignInLink", SignInLink),
  listMemberSessions: sessions,
  endMemberSessions: done,
  endMemberSession: done,
  listKeys: response("KeyList", list(ListedKey)),
  createKey: response("NewKey", NewKey),
  updateKey: response("Key", Key),
  rotateKey: response("RotatedKey", RotatedKey),
  revokeKey: revoked,
  setPaymentMethod: organization,
  clearPaymentMethod: organization,
  startPlan: organization,
  stopPlan: organization,
  showCredits: organization,
  addCredits: organization,
  listBudgets: response("BudgetList", list(Budget)),
  setBudget: budget,
  raiseBudget: budget,
  clearBudget: budget,
  tryBudget: response("BudgetTrial", BudgetTrial),
  requestIncrease: done,
  listIncreases: response("BudgetIncreaseList", list(BudgetIncrease)),
  grantIncrease: budget,
  declineIncrease: done,
  setPolicy: organization,
  tryPolicy: response("PolicyTrial", PolicyTrial),
  showLimits: response("LimitsNow", LimitsNow),
  setLimits: organization,
  showRetention: retention,
  setRetention: retention,
  readUsage: usage,
  listRunning: response("Running", Running),
  listTransfers: response("TransferPage", TransferPage),
  listTurns: response("TurnPage", TurnPage),
  showTurn: response("TurnDetail", TurnDetail),
  countTurns: response("TurnCounts", TurnCounts),
  groupTurns: response("TurnGroups", TurnGroups),
  showTurnSummary: response("TurnSummary", TurnSummary),
  listRejections: response("RejectionPage", RejectionPage),
  showRejection: response("RejectionDetail", RejectionDetail),
  listEvents: events,
  listAudit: audit,
  listTokens: tokens,
  createToken: newToken,
  revokeToken: revoked,
  listAllTokens: tokens,
  createOperatorToken: newToken,
  revokeAnyToken: revoked,
  listProviders: response("ProviderHealthList", list(ProviderHealth)),
  checkProviders: response("ProviderCheck", ProviderCheck),
  showConfiguration: response("Configuration", ShownConfiguration),
  readAllUsage: usage,
  listNodes: response("NodeList", NodeList),
  listAllRunning: response("AllRunning", AllRunning),
  createOperatorLink: response("OperatorLink", OperatorLink),
  listOperatorSessions: response("OperatorSessionList", list(OperatorSession)),
  endOperatorSession: done,
  listAllEvents: events,
  listAllAudit: audit,
  verifyAudit: response("AuditVerdict", AuditVerdict),
  eraseDeleted: response("Erased", Erased),
  reloadConfiguration: response("ConfigurationChanges", ConfigurationChanges),
  reconcile: response("Reconciliation", Reconciliation),
};
