// All operations that are defined in this folder; the others still stand in contract/manage and its companions.
import { AUDIT } from "./audit.ts";
import { BUDGETS } from "./budgets.ts";
import { EVENTS } from "./events.ts";
import { CONFIGURATION } from "./configuration.ts";
import { CREDITS, PAYMENT_METHOD, PLAN } from "./credits.ts";
import { KEY_HOLDER } from "./key-holder.ts";
import { KEYS } from "./keys.ts";
import { MEMBERS } from "./members.ts";
import { MODELS } from "./models.ts";
import { listOperations } from "./operation.ts";
import { OPERATORS } from "./operators.ts";
import { ORGANIZATIONS } from "./organizations.ts";
import { RETENTION } from "./retention.ts";
import { LIMITS, POLICY } from "./rules.ts";
import { SESSIONS } from "./sessions.ts";
import { TOKENS } from "./tokens.ts";

export const OPERATIONS = [
  listOperations(AUDIT),
  listOperations(EVENTS),
  listOperations(BUDGETS),
  listOperations(SESSIONS),
  listOperations(CONFIGURATION),
  listOperations(OPERATORS),
  listOperations(KEY_HOLDER),
  listOperations(TOKENS),
  listOperations(ORGANIZATIONS),
  listOperations(MEMBERS),
  listOperations(KEYS),
  listOperations(PAYMENT_METHOD),
  listOperations(PLAN),
  listOperations(CREDITS),
  listOperations(POLICY),
  listOperations(LIMITS),
  listOperations(RETENTION),
  listOperations(MODELS),
].flat();

export type DefinedOperation = (typeof OPERATIONS)[number]["operation"];
