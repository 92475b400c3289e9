// All operations of the management interface.
import { AUDIT } from "./audit.ts";
import { BUDGET_INCREASES } from "./budget-increases.ts";
import { BUDGETS } from "./budgets.ts";
import { EVENTS } from "./events.ts";
import { ERRORS } from "./errors.ts";
import { FAILURES } from "./failures.ts";
import { FIND } from "./find.ts";
import { CONFIGURATION } from "./configuration.ts";
import { CREDITS, PAYMENT_METHOD, PLAN } from "./credits.ts";
import { KEY_HOLDER } from "./key-holder.ts";
import { KEYS } from "./keys.ts";
import { BOOKS, LEDGER } from "./ledger.ts";
import { MEMBERS } from "./members.ts";
import { MODELS } from "./models.ts";
import { ERASURE, NODES } from "./nodes.ts";
import { listOperations } from "./definition/operation.ts";
import { OPERATORS } from "./operators.ts";
import { ORGANIZATIONS } from "./organizations.ts";
import { REJECTIONS } from "./rejections.ts";
import { RETENTION } from "./retention.ts";
import { LIMITS, POLICY } from "./rules.ts";
import { RUNNING } from "./running.ts";
import { SESSIONS } from "./sessions.ts";
import { SPENDING } from "./spending.ts";
import { TOKENS } from "./tokens.ts";
import { TURN_FIGURES } from "./turn-figures.ts";
import { TURNS } from "./turns.ts";
import { USAGE } from "./usage.ts";
import { USAGE_LINES } from "./usage-lines.ts";

/** In the order of the OpenAPI document. */
export const OPERATIONS = [
  listOperations(SESSIONS),
  listOperations(KEY_HOLDER),
  listOperations(MODELS),
  listOperations(CONFIGURATION),
  listOperations(NODES),
  listOperations(BOOKS),
  listOperations(ERASURE),
  listOperations(ORGANIZATIONS),
  listOperations(POLICY),
  listOperations(LIMITS),
  listOperations(RETENTION),
  listOperations(MEMBERS),
  listOperations(KEYS),
  listOperations(BUDGETS),
  listOperations(BUDGET_INCREASES),
  listOperations(SPENDING),
  listOperations(CREDITS),
  listOperations(PAYMENT_METHOD),
  listOperations(PLAN),
  listOperations(LEDGER),
  listOperations(USAGE),
  listOperations(USAGE_LINES),
  listOperations(TURNS),
  listOperations(TURN_FIGURES),
  listOperations(ERRORS),
  listOperations(FAILURES),
  listOperations(FIND),
  listOperations(RUNNING),
  listOperations(REJECTIONS),
  listOperations(EVENTS),
  listOperations(AUDIT),
  listOperations(TOKENS),
  listOperations(OPERATORS),
].flat();

export type DefinedOperation = (typeof OPERATIONS)[number]["name"];
