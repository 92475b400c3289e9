// turngate audit …: the log of changes, and its verification.
import { type Command, Option } from "commander";
import { AUDIT_ACTIONS, type AuditAction } from "../../contract/manage/audit-actions.ts";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX, AUDIT_READ_MAX } from "../../contract/manage/limits.ts";
import { AUDIT_HEAD_PATTERN } from "../../contract/manage/patterns.ts";
import { presentAuditEntry } from "../../flows/accounts/present.ts";
import { verifyAudit } from "../../flows/accounts/verify-audit.ts";
import type { AuditEntry, AuditFilter, AuditStore } from "../../ports/store/audit.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { limitOption, matching, ORGANIZATION, wholeNumber } from "./options.ts";
import { type OutputOptions, type Printed, printList, printRecord } from "./output.ts";
import { findOrganizationId, withStore } from "./with-store.ts";

const readHead = matching(AUDIT_HEAD_PATTERN, "64 hexadecimal digits.");

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
    .action(list);
  audit
    .command("verify")
    .description("check that no entry was changed or removed; exits non-zero if one was")
    .option("--head <hash>", "a head printed earlier, which the log must still contain", readHead)
    .action(verify);
}

interface ListOptions extends OutputOptions {
  readonly org?: string;
  readonly action?: AuditAction;
  readonly actor?: string;
  readonly target?: string;
  readonly limit: number;
  readonly before?: number;
}

async function list(options: ListOptions) {
  const { org, action = null, actor = null, target = null, before = null, limit } = options;
  const entries = await withStore(async ({ store }) => {
    const organizationId = await findOrganizationId(store, org);
    return readNewest(store, { organizationId, action, actor, target }, before, limit);
  });
  const shown: readonly Printed[] = entries.map(presentAuditEntry);
  const isFiltered = [action, actor, target].some((value) => value !== null);
  const none = isFiltered ? "There is no such entry." : "There is no change yet.";
  printList(options.json ? shown : shown.map(showBriefly), options, none);
}

/** The newest entries of a filter, on as many pages as it takes to find them. */
async function readNewest(
  store: Pick<AuditStore, "searchAudit">,
  filter: AuditFilter,
  start: number | null,
  limit: number,
): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  let before = start;
  do {
    const rest = { limit: limit - found.length, readsMax: AUDIT_READ_MAX };
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const { entries, next } = await store.searchAudit({ filter, before, ...rest });
    found.push(...entries);
    before = next;
  } while (before !== null && found.length < limit);
  return found;
}

/** The fields that fit on a line: values as JSON, no hash. */
function showBriefly({ id, organization, at, actor, action, target, before, after }: Printed): Printed {
  const { kind, id: actorId } = actor as { kind: string; id: string };
  const values = { before: JSON.stringify(before), after: JSON.stringify(after) };
  return {
    id,
    at: new Date(Number(at) * 1000).toISOString(),
    actor: `${kind} ${actorId}`,
    organization,
    action,
    target,
    ...values,
  };
}

async function verify(options: OutputOptions & { head?: string }) {
  const verdict = await withStore(({ store }) => verifyAudit(store, options.head ?? null));
  const { checked, head, brokenAt, hasExpected } = verdict;
  printRecord({ checked, head, broken_at: brokenAt }, options);
  if (brokenAt !== null)
    throw new OperatorError(`the audit log is broken: entry ${brokenAt} was changed after it was written.`);
  if (hasExpected === false)
    throw new OperatorError("the audit log does not contain the given head: it was truncated or rewritten.");
}
