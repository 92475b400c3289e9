// Options of `turns list` and `turns groups`: which turns.
import { type Command, InvalidArgumentError, Option } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import { FAILURE_CODES, type FailureCode } from "../../contract/failures.ts";
import { NONE } from "../../contract/money.ts";
import { RESPONSE_STATUSES, type ResponseStatus } from "../../contract/statuses.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { Store } from "../../ports/store/store.ts";
import type { TurnFilter } from "../../ports/store/turn-log.ts";
import { addSubjectOptions, readSubjects, type SubjectOptions } from "./turn-subjects.ts";
import { findFilteredMember } from "./with-store.ts";

export interface FilterOptions extends SubjectOptions {
  readonly from?: number;
  readonly to?: number;
  readonly model?: string;
  readonly key?: string;
  readonly member?: string;
  readonly status?: ResponseStatus;
  readonly failureCode?: FailureCode;
}

/** Adds the options to a command. */
export function addFilterOptions(command: Command): Command {
  const time = "a day or a time of it (UTC), as 2026-11-23 or 2026-11-23T14:05";
  const filtered = command
    .option("--from <time>", `turns that began then or later: ${time}`, readTime)
    .option("--to <time>", "turns that began before", readTime)
    .option("--model <id>", "the full id of a model")
    .option("--key <id>", "the id of a key")
    .option(
      "--member <member>",
      `the member who owned the key, by id or e-mail address; ${NONE}: keys without a member`,
    )
    .addOption(
      new Option("--status <status>", "their status; failed: with every failure code").choices([...RESPONSE_STATUSES]),
    )
    .addOption(new Option("--failure-code <code>", "failed turns with this code").choices([...FAILURE_CODES]));
  return addSubjectOptions(filtered);
}

/** Parses a day or a minute of it as Unix seconds. */
function readTime(text: string): number {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?$/.exec(text);
  const ms = match === null ? Number.NaN : Date.parse(match[1] === undefined ? text : `${text}Z`);
  if (!Number.isFinite(ms) || !new Date(ms).toISOString().startsWith(text)) {
    throw new InvalidArgumentError("Allowed: a day as YYYY-MM-DD, or a time as YYYY-MM-DDTHH:MM (UTC).");
  }
  return ms / 1000;
}

/** The options as the store's filter. */
export async function readTurnFilter(
  options: FilterOptions,
  { store, secrets }: { store: Store; secrets: Pick<Secrets, "hashEndUser"> },
  organization: Organization,
): Promise<TurnFilter> {
  const { from = null, to = null, model = null, key: keyId = null, status = null, failureCode = null } = options;
  if (from !== null && to !== null && from > to) throw new OperatorError("--from is later than --to.");
  const memberId = await findFilteredMember(store, organization, options.member);
  const subjects = readSubjects(options, secrets, organization.id);
  return { organizationId: organization.id, keyId, memberId, model, status, failureCode, ...subjects, from, to };
}
