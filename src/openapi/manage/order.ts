// The order of the document while the subjects move to src/manage. It goes with the last of them.

const OPERATIONS =
  "signIn showSession signOut redeemSignInLink showKeyHolder requestIncrease showSignIn beginSingleSignOn finishSingleSignOn changePassword listSessions endSessions endSession listModels listOrganizations createOrganization showOrganization renameOrganization suspendOrganization resumeOrganization deleteOrganization listMembers addMember setMemberRole removeMember createSignInLink listMemberSessions endMemberSessions endMemberSession listKeys createKey updateKey rotateKey revokeKey setPaymentMethod clearPaymentMethod startPlan stopPlan showCredits addCredits listBudgets setBudget raiseBudget clearBudget tryBudget listIncreases grantIncrease declineIncrease setPolicy tryPolicy showLimits setLimits showRetention setRetention readUsage listRunning listTransfers listTurns showTurn countTurns groupTurns showTurnSummary listRejections showRejection listEvents listAudit listTokens createToken revokeToken listAllTokens createOperatorToken revokeAnyToken listProviders checkProviders showConfiguration readAllUsage listNodes listAllRunning createOperatorLink listOperatorSessions endOperatorSession listAllEvents listAllAudit verifyAudit eraseDeleted reloadConfiguration reconcile";
const SCHEMAS =
  "SignInBody RedeemBody BeginSingleSignOnBody FinishSingleSignOnBody ChangePasswordBody CreateOrganizationBody NameBody DeleteOrganizationBody AddMemberBody RoleBody CreateKeyBody UpdateKeyBody RotateKeyBody AddCreditsBody SetBudgetBody RaiseBudgetBody ClearBudgetBody RequestIncreaseBody GrantIncreaseBody SetPolicyBody SetLimitsBody SetRetentionBody CreateTokenBody OperatorLinkBody CreateOperatorTokenBody EraseBody Session SignInWays BegunSignIn KeyHolder Done SessionList ModelList OrganizationList Organization MemberList Member SignInLink KeyList NewKey Key RotatedKey Revoked BudgetList Budget BudgetTrial BudgetIncreaseList PolicyTrial LimitsNow Retention UsageList Running TransferPage TurnPage TurnDetail TurnCounts TurnGroups TurnSummary RejectionPage RejectionDetail EventPage AuditPage TokenList NewToken ProviderHealthList ProviderCheck Configuration NodeList AllRunning OperatorLink OperatorSessionList AuditVerdict Erased ConfigurationChanges Reconciliation Error";

const TAGS = "Session,Key holder,Platform,Organizations,Members,Keys,Money,Turns,Events,Audit log,Tokens,Operators";

const placeOf = (list: string, separator = " ") => {
  const places = new Map(list.split(separator).map((name, place) => [name, place]));
  return (name: string) => places.get(name) ?? places.size;
};

/** The place of an operation in the document. */
export const placeOfOperation = placeOf(OPERATIONS);

/** The place of a schema among the components. */
export const placeOfSchema = placeOf(SCHEMAS);

/** The place of a tag in the document. */
export const placeOfTag = placeOf(TAGS, ",");
