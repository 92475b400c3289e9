// turngate audit …: the log of changes, and its verification.
import type { Command } from "commander";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import { AUDIT_HEAD_PATTERN } from "../../contract/manage/patterns.ts";
import { presentAuditEntry } from "../../flows/accounts/present.ts";
import { verifyAudit } from "../../flows/accounts/verify-audit.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { matching, ORGANIZATION, wholeNumber } from "./options.ts";
import { type OutputOptions, type Printed, printList, printRecord } from "./output.ts";
import { findOrganizationId, withStore } from "./with-store.ts";

const readHead = matching(AUDIT_HEAD_PATTERN, "64 hexadecimal digits.");

export function addAudit(program: Command): void {
  const audit = program.command("audit").description("the log of every change: by whom, of what, when");

  audit
    .command("list")
    .description("list entries, newest first")
    .option(...ORGANIZATION)
    .option("--limit <number>", `number of entries, at most ${AUDIT_PAGE_MAX}`, wholeNumber(1), AUDIT_PAGE_DEFAULT)
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
  readonly limit: number;
  readonly before?: number;
}

async function list(options: ListOptions) {
  const { org, before = null } = options;
  const limit = Math.min(options.limit, AUDIT_PAGE_MAX);
  const entries = await withStore(async ({ store }) =>
    store.listAudit({ organizationId: await findOrganizationId(store, org), before, limit }),
  );
  const shown: readonly Printed[] = entries.map(presentAuditEntry);
  printList(options.json ? shown : shown.map(showBriefly), options, "There is no change yet.");
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
