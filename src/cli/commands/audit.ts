// turngate audit …: the log of changes, and its verification.
import { type Command, Option } from "commander";
import { AUDIT_ACTIONS } from "../../contract/manage/audit-actions.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import { AUDIT_HEAD_PATTERN } from "../../contract/manage/patterns.ts";
import type { presentAuditEntry } from "../../flows/accounts/present.ts";
import { verifyAudit } from "../../flows/accounts/verify-audit.ts";
import { listAudit } from "../../flows/manage/audit-page.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { limitOption, matching, ORGANIZATION, type ScopeOptions, wholeNumber } from "./options.ts";
import { jsonOf, linesOf, type OutputOptions, print, prints, tableOf, timeOf } from "./output.ts";
import { queryOf, readPages } from "./queries.ts";
import { withScope, withStore } from "./with-store.ts";

const readHead = matching(AUDIT_HEAD_PATTERN, "64 hexadecimal digits");

export function addAudit(program: Command): void {
  const audit = program.command("audit").description("the log of every change: by whom, of what, when");

  audit
    .command("list")
    .description("list entries, newest first")
    .option(...ORGANIZATION)
    .addOption(new Option("--action <action>", "only this action").choices([...AUDIT_ACTIONS]))
    .option("--actor <actor>", "only changes by this actor: its id, or the e-mail address of a member")
    .option("--target <target>", "only changes of this target; of a key or member, its budgets too")
    .addOption(limitOption("entries", AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT))
    .option("--before <id>", "only entries before this one", wholeNumber(1))
    .action(
      prints(list, (entries, [{ action, actor, target }]) => {
        const isFiltered = [action, actor, target].some((value) => value !== undefined);
        return tableOf(entries.map(briefly), isFiltered ? "There is no such entry." : "There is no change yet.");
      }),
    );
  audit
    .command("verify")
    .description("check that no entry was changed or removed; exits non-zero if one was")
    .option("--head <hash>", "a head printed earlier, which the log must still contain", readHead)
    .action(verify);
}

function list(options: ScopeOptions & { action?: string; actor?: string; target?: string }) {
  return withScope(options.org, ({ store }, organizationId) => {
    const query = queryOf("listAudit", options);
    return readPages(query, (page) => listAudit(store, organizationId, { ...query, ...page }));
  });
}

/** The fields that fit on a line: values as JSON, no hash. */
function briefly({ id, organization, at, actor, action, target, before, after }: ReturnType<typeof presentAuditEntry>) {
  const values = { before: JSON.stringify(before), after: JSON.stringify(after) };
  return { id, at: timeOf(at), actor: `${actor.kind} ${actor.id}`, organization, action, target, ...values };
}

async function verify({ head: expected = null, json }: OutputOptions & { head?: string | null }) {
  const { checked, head, brokenAt, hasExpected } = await withStore(({ store }) => verifyAudit(store, expected));
  const verdict = { checked, head, broken_at: brokenAt };
  print(json ? jsonOf(verdict) : linesOf(verdict));
  if (brokenAt !== null)
    throw new OperatorError(`the audit log is broken: entry ${brokenAt} was changed after it was written.`);
  if (hasExpected === false)
    throw new OperatorError("the audit log does not contain the given head: it was truncated or rewritten.");
}
