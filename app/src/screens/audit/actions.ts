// The actions of the audit log, in words.
import type { AuditAction } from "../../api/client.ts";

const WORDS: Readonly<Record<AuditAction, string>> = {
  "organization.create": "organization created",
  "organization.rename": "organization renamed",
  "organization.suspend": "organization suspended",
  "organization.resume": "organization resumed",
  "organization.export": "organization exported",
  "organization.delete": "organization deleted",
  "organization.redact": "entries of the organization redacted",
  "organization.erase": "content of the organization erased",
  "plan.start": "plan started",
  "plan.stop": "plan stopped",
  "payment_method.set": "payment method set",
  "payment_method.clear": "payment method cleared",
  "policy.set": "policy set",
  "limits.set": "limits set",
  "retention.set": "retention set",
  "credits.add": "credits added",
  "member.add": "member added",
  "member.remove": "member removed",
  "member.role": "role of a member changed",
  "member.sign_in_link": "member sign-in link created",
  "member.password": "password set",
  "member.identity": "identity of single sign-on linked",
  "key.create": "key created",
  "key.update": "key changed",
  "key.rotate": "key rotated",
  "key.revoke": "key revoked",
  "budget.set": "budget set",
  "budget.raise": "budget raised",
  "budget.clear": "budget removed",
  "budget.decline": "request for more declined",
  "token.create": "token created",
  "token.revoke": "token revoked",
  "operator.sign_in_link": "operator sign-in link created",
  "session.start": "session started",
  "session.end": "session ended",
  "content.erase": "deleted content erased",
  "conversation.export": "conversations exported",
  "conversation.import": "conversations imported",
  "configuration.reload": "configuration reloaded",
  "root_secret.rotate": "root secret rotated",
};

/** Every action, in the order of the menu. */
export const ACTIONS = Object.keys(WORDS) as readonly AuditAction[];

/** An action in words; one that this app does not know stays as it is. */
export function actionWords(action: string): string {
  return Object.hasOwn(WORDS, action) ? WORDS[action as AuditAction] : action;
}
