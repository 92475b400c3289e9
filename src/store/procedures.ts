// The store's procedures by the names of the port's functions. The main thread and the store's threads both use this
// table.
import * as adminTokens from "./accounts/admin-tokens.ts";
import * as conversations from "./histories/conversations.ts";
import * as identities from "./accounts/identities.ts";
import * as keys from "./accounts/keys.ts";
import * as members from "./accounts/members.ts";
import * as organizations from "./accounts/organizations.ts";
import * as rootSecret from "./accounts/root-secret.ts";
import * as sessions from "./accounts/sessions.ts";
import * as signIns from "./accounts/sign-ins.ts";
import * as responses from "./histories/stored-responses.ts";
import type { Store } from "../ports/store/store.ts";
import { logErasure, logExport, logReload } from "./accounts/audit.ts";
import { checkAudit, listAudit, searchAudit } from "./accounts/audit-reads.ts";
import { createFirstOrganization } from "./accounts/first-organization.ts";
import { deleteOrganization, eraseOrganization, listDeletedOrganizations } from "./accounts/organization-erasure.ts";
import { sumSpentBefore } from "./money/budget-start.ts";
import { clearBudget, listBudgets, setBudget } from "./money/budgets.ts";
import {
  declineIncrease,
  grantIncrease,
  listIncreases,
  requestIncrease,
  raiseBudget,
} from "./money/budget-increases.ts";
import { listKeyConversations } from "./histories/key-conversations.ts";
import { findClaim } from "./histories/claims.ts";
import { findContinuation } from "./histories/continuation.ts";
import { expireHistories } from "./histories/retention.ts";
import { findConversation, findOwner, traceRequest } from "./histories/find-by-id.ts";
import { exportHistories, exportItems, exportResponses } from "./histories/export.ts";
import { extendHold, releaseHold } from "./money/holds.ts";
import { countEvents, listEvents, reportProvider } from "./events/feed.ts";
import { reportShortage } from "./money/shortages.ts";
import { sumFailures } from "./events/failures.ts";
import { findRejection, keepRejections, listRejections } from "./events/rejections.ts";
import type { ProceduresOf } from "./engine/procedure.ts";
import { readKeySpending } from "./money/key-spending.ts";
import { reconcile } from "./money/reconcile.ts";
import { listRunning } from "./histories/running.ts";
import { beginResponse, startResponse } from "./histories/response-begin.ts";
import { settleResponse, withdrawResponse } from "./histories/response-settle.ts";
import { countResponses, findResponse, groupResponses, listResponses } from "./histories/response-log.ts";
import { importItems, listConversations, logMove, readLinks } from "./histories/moving.ts";
import { eraseDeleted, forgetExpired } from "./histories/upkeep.ts";
import { listTransfers } from "./money/ledger.ts";
import { readUsage } from "./money/usage.ts";
import { readUsageLines } from "./money/usage-lines.ts";
import { findAnsweredInView, findItemsInView, readWindow } from "./histories/views.ts";

/** `close` is no procedure: it ends the threads. */
export type ProcedureName = keyof Procedures;

/** All but `ping`, which knows the schema of this program (store/port.ts). */
export type Procedures = ProceduresOf<Omit<Store, "close" | "ping">>;

export const PROCEDURES: Procedures = {
  findClaim,
  findContinuation,
  readWindow,
  findAnsweredInView,
  findItemsInView,
  beginResponse,
  startResponse,
  extendHold,
  releaseHold,
  settleResponse,
  withdrawResponse,
  readResponse: responses.readResponse,
  readStatus: responses.readStatus,
  readShortResponse: responses.readShortResponse,
  readLongResponse: responses.readLongResponse,
  deleteResponse: responses.deleteResponse,
  listOrphans: responses.listOrphans,
  listRunning,
  countResponses,
  groupResponses,
  listResponses,
  findResponse,
  traceRequest,
  findConversation,
  findOwner,

  createConversation: conversations.createConversation,
  readConversation: conversations.readConversation,
  relabelConversation: conversations.relabelConversation,
  listKeyConversations,
  deleteConversation: conversations.deleteConversation,
  findUnansweredCalls: conversations.findUnansweredCalls,
  addItems: conversations.addItems,
  listItems: conversations.listItems,
  readItem: conversations.readItem,
  readItems: conversations.readItems,
  deleteItem: conversations.deleteItem,
  listConversations,
  importItems,
  logMove,
  readLinks,

  findKey: keys.findKey,
  renewKeyHash: rootSecret.renewKeyHash,
  createOrganization: organizations.createOrganization,
  createFirstOrganization,
  listOrganizations: organizations.listOrganizations,
  findOrganization: organizations.findOrganization,
  updateOrganization: organizations.updateOrganization,
  addCredits: organizations.addCredits,
  listDeletedOrganizations,
  deleteOrganization,
  eraseOrganization,
  addMember: members.addMember,
  removeMember: members.removeMember,
  setMemberRole: members.setMemberRole,
  listMembers: members.listMembers,
  pageMembers: members.pageMembers,
  createKey: keys.createKey,
  updateKey: keys.updateKey,
  rotateKey: keys.rotateKey,
  revokeKey: keys.revokeKey,
  findKeyById: keys.findKeyById,
  listKeys: keys.listKeys,
  pageKeys: keys.pageKeys,

  createToken: adminTokens.createToken,
  findToken: adminTokens.findToken,
  renewTokenHash: rootSecret.renewTokenHash,
  findTokenById: adminTokens.findTokenById,
  listTokens: adminTokens.listTokens,
  pageTokens: adminTokens.pageTokens,
  revokeToken: adminTokens.revokeToken,
  setSignInLink: signIns.setSignInLink,
  setOperatorLink: signIns.setOperatorLink,
  findSignInLink: signIns.findSignInLink,
  redeemSignInLink: signIns.redeemSignInLink,
  findPasswordHolders: signIns.findPasswordHolders,
  changePassword: signIns.changePassword,
  startSession: sessions.startSession,
  startSessionByIdentity: identities.startSessionByIdentity,
  startOperatorSession: identities.startOperatorSession,
  followProvider: identities.followProvider,
  findSession: sessions.findSession,
  touchSession: sessions.touchSession,
  listSessions: sessions.listSessions,
  endSessions: sessions.endSessions,

  exportHistories,
  exportItems,
  exportResponses,
  listIdentities: identities.listIdentities,
  logExport,

  logErasure,
  listAudit,
  searchAudit,
  logReload,
  checkAudit,

  listEvents,
  countEvents,
  reportProvider,
  reportShortage,
  keepRejections,
  listRejections,
  findRejection,
  sumFailures,

  sumSpentBefore,
  setBudget,
  raiseBudget,
  clearBudget,
  listBudgets,
  requestIncrease,
  listIncreases,
  grantIncrease,
  declineIncrease,
  readUsage,
  readUsageLines,
  readKeySpending,
  listTransfers,
  reconcile,

  fitsSecret: rootSecret.fitsSecret,
  rotateRootSecret: rootSecret.rotateRootSecret,
  listFormerHashes: rootSecret.listFormerHashes,
  countFormerHashes: rootSecret.countFormerHashes,
  forgetExpired,
  expireHistories,
  eraseDeleted,
};
