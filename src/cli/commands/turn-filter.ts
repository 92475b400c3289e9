// Options of `turns list` and `turns groups`: which turns.
import { type Command, Option } from "commander";
import { OperatorError } from "../../config/operator-error.ts";
import { FAILURE_CODES } from "../../contract/failures.ts";
import type { QueryOf } from "../../contract/manage/queries.ts";
import { NONE } from "../../contract/money.ts";
import { RESPONSE_STATUSES } from "../../contract/statuses.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import type { Store } from "../../ports/store/store.ts";
import { matching, ORGANIZATION, type OrganizationOptions, parsedBy } from "./options.ts";
import { queryOf } from "./queries.ts";
import { findFilteredMember } from "./with-store.ts";

/** Those of the options that are looked at here; the others are parameters of the management interface as they are. */
export interface FilterOptions extends OrganizationOptions {
  readonly from?: number;
  readonly to?: number;
  readonly member?: string;
}

/** Adds the options to a command. */
export function addFilterOptions(command: Command): Command {
  const time = "a day or a time of it (UTC), as 2026-11-23 or 2026-11-23T14:05";
  return command
    .requiredOption(...ORGANIZATION)
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
    .addOption(new Option("--failure-code <code>", "failed turns with this code").choices([...FAILURE_CODES]))
    .option("--conversation <id>", `the id of a conversation; ${NONE}: turns outside of conversations`)
    .option("--end-user <hash>", `an end user, by the hash that \`turns list\` shows; ${NONE}: turns without one`)
    .addOption(
      new Option(
        "--safety-identifier <id>",
        "an end user, by what clients send in safety_identifier or user",
      ).conflicts("endUser"),
    )
    .option(
      "--label <label>",
      `KEY=VALUE of the metadata key of turngate.yaml; ${NONE}: turns without one`,
      matching(`=|^${NONE}$`, `KEY=VALUE, or ${NONE}`),
    );
}

/** Parses a day or a minute of it as Unix seconds. */
const readTime = parsedBy((text) => {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?$/.exec(text);
  const ms = match === null ? Number.NaN : Date.parse(match[1] === undefined ? text : `${text}Z`);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text) ? ms / 1000 : null;
}, "a day as YYYY-MM-DD, or a time as YYYY-MM-DDTHH:MM (UTC)");

/** The query that the options ask for. */
export async function turnQueryOf<Operation extends "listTurns" | "groupTurns">(
  operation: Operation,
  options: FilterOptions,
  store: Store,
  organization: Organization,
): Promise<QueryOf<Operation>> {
  const { from, to } = options;
  if (from !== undefined && to !== undefined && from > to) throw new OperatorError("--from is later than --to.");
  return queryOf(operation, { ...options, member: await findFilteredMember(store, organization, options.member) });
}
