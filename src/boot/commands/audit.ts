// turngate audit …: who changed what, and whether the log of it is whole.
import { type Command, InvalidArgumentError } from "commander";
import { AUDIT_PAGE_DEFAULT, AUDIT_PAGE_MAX } from "../../contract/manage/limits.ts";
import { AUDIT_HEAD_PATTERN } from "../../contract/manage/patterns.ts";
import { showAuditEntry } from "../../flows/accounts/shapes.ts";
import { verifyAudit } from "../../flows/accounts/verify-audit.ts";
import { OperatorError } from "../operator-error.ts";
import { jsonOption, wholeNumber } from "./options.ts";
import { type OutputOptions, type Printed, printList, printRecord } from "./output.ts";
import { findOrganization, withStore } from "./with-store.ts";

export function addAudit(program: Command): void {
  const audit = program.command("audit").description("the log of every change: who, what, when");

  audit
    .command("list")
    .description("list entries, newest first")
    .option("--org <org>", "of this organization alone, by id or name")
    .option("--limit <number>", `how many, at most ${AUDIT_PAGE_MAX}`, wholeNumber(1), AUDIT_PAGE_DEFAULT)
    .option("--before <id>", "only those before this one", wholeNumber(1))
    .addOption(jsonOption())
    .action(list);
  audit
    .command("verify")
    .description("check that no entry was changed or taken out; exits non-zero when one was")
    .option("--head <hash>", "a head that was printed earlier: the log must still hold it", readHash)
    .addOption(jsonOption())
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
  const entries = await withStore(async ({ store }) => {
    const organizationId = org === undefined ? null : (await findOrganization(store, org)).id;
    return store.listAudit({ organizationId, before, limit });
  });
  const shown: readonly Printed[] = entries.map(showAuditEntry);
  printList(options.json ? shown : shown.map(showBriefly), options, "Nothing was changed yet.");
}

/** What fits on a line: values as JSON, no hash. */
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

function readHash(text: string): string {
  if (new RegExp(AUDIT_HEAD_PATTERN).test(text)) return text;
  throw new InvalidArgumentError("Allowed: 64 hexadecimal digits.");
}

async function verify(options: OutputOptions & { head?: string }) {
  const verdict = await withStore(({ store }) => verifyAudit(store, options.head ?? null));
  const { checked, head, brokenAt, hasExpected } = verdict;
  printRecord({ checked, head, broken_at: brokenAt }, options);
  if (brokenAt !== null) throw new OperatorError(`the audit log is broken: entry ${brokenAt} is not what was written.`);
  if (hasExpected === false)
    throw new OperatorError("the audit log does not hold the given head: it was cut or rewritten.");
}
