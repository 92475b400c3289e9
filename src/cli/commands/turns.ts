// turngate turns …: the log of turns, without their content.
import { type Command, InvalidArgumentError, Option } from "commander";
import { FAILURE_CODES, type FailureCode } from "../../contract/failures.ts";
import { TURNS_PAGE_MAX, TURNS_READ_MAX } from "../../contract/manage/limits.ts";
import { RESPONSE_STATUSES, type ResponseStatus } from "../../contract/statuses.ts";
import { presentLoggedTurn, presentTurnDetail } from "../../flows/accounts/present-turns.ts";
import { readTurnSummary } from "../../flows/manage/turn-summary.ts";
import type { LoggedTurn, TurnFilter, TurnLogStore } from "../../ports/store/turn-log.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { ORGANIZATION, type OrganizationOptions, wholeNumber } from "./options.ts";
import { addSubjectOptions, readSubjects, type SubjectOptions } from "./turn-subjects.ts";
import { printList, type Printed, printRecord } from "./output.ts";
import { findMember, withOrganization } from "./with-store.ts";

export function addTurns(program: Command): void {
  const turns = program.command("turns").description("the log of turns: what ran, without its content");
  const time = "a day or a time of it (UTC), as 2026-11-23 or 2026-11-23T14:05";
  const listing = turns
    .command("list")
    .description("list turns, newest first")
    .requiredOption(...ORGANIZATION)
    .option("--from <time>", `turns that began then or later: ${time}`, readTime)
    .option("--to <time>", "turns that began before", readTime)
    .option("--model <id>", "the full id of a model")
    .option("--key <id>", "the id of a key")
    .option("--member <member>", "the member who owned the key, by id or e-mail address")
    .addOption(
      new Option("--status <status>", "their status; failed: with every failure code").choices([...RESPONSE_STATUSES]),
    )
    .addOption(new Option("--failure-code <code>", "failed turns with this code").choices([...FAILURE_CODES]))
    .option("--limit <number>", `number of turns, at most ${TURNS_PAGE_MAX}`, wholeNumber(1), 50)
    .action(list);
  addSubjectOptions(listing);
  turns
    .command("show")
    .description("show a turn")
    .argument("<response>", "the id of its response")
    .requiredOption(...ORGANIZATION)
    .action(show);
  turns
    .command("summary")
    .description("show how the turns of the last hour went: turns a minute, failures, times")
    .requiredOption(...ORGANIZATION)
    .action(summary);
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

interface ListOptions extends OrganizationOptions, SubjectOptions {
  readonly from?: number;
  readonly to?: number;
  readonly model?: string;
  readonly key?: string;
  readonly member?: string;
  readonly status?: ResponseStatus;
  readonly failureCode?: FailureCode;
  readonly limit: number;
}

async function list(options: ListOptions) {
  const { from = null, to = null, model = null, key: keyId = null, status = null, failureCode = null } = options;
  const { member } = options;
  if (from !== null && to !== null && from > to) throw new OperatorError("--from is later than --to.");
  const turns = await withOrganization(options.org, async ({ store, secrets }, organization) => {
    const memberId = member === undefined ? null : (await findMember(store, organization, member)).id;
    const subjects = readSubjects(options, secrets, organization.id);
    const filter = { organizationId: organization.id, keyId, memberId, model, status, failureCode, ...subjects };
    return readNewest(store, { ...filter, from, to }, Math.min(options.limit, TURNS_PAGE_MAX));
  });
  const shown: readonly Printed[] = turns.map(presentLoggedTurn);
  printList(options.json ? shown : shown.map(showBriefly), options, "There are no such turns.");
}

/** The newest turns of a filter, on as many pages as it takes to find them. */
async function readNewest(
  store: Pick<TurnLogStore, "listTurns">,
  filter: TurnFilter,
  limit: number,
): Promise<readonly LoggedTurn[]> {
  const found: LoggedTurn[] = [];
  let from: Parameters<TurnLogStore["listTurns"]>[0]["from"] = null;
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const { turns, next } = await store.listTurns({
      filter,
      from,
      limit: limit - found.length,
      readsMax: TURNS_READ_MAX,
    });
    found.push(...turns);
    from = next === null ? null : { place: next, direction: "older" };
  } while (from !== null && found.length < limit);
  return found;
}

/** The fields that fit on a line. */
function showBriefly(turn: Printed): Printed {
  const { id, status, failure_code, model, key_name, input_tokens, output_tokens, credits, duration_ms } = turn;
  const created_at = new Date(Number(turn["created_at"]) * 1000).toISOString();
  return {
    created_at,
    id,
    status,
    failure_code,
    model,
    key: key_name,
    input_tokens,
    output_tokens,
    credits,
    duration_ms,
  };
}

async function show(responseId: string, options: OrganizationOptions) {
  const turn = await withOrganization(options.org, ({ store }, { id: organizationId }) =>
    store.findTurn({ organizationId, memberId: null, responseId }),
  );
  if (turn === null) throw new OperatorError(`the organization has no turn ${responseId}; \`turns list\` shows them.`);
  const shown = presentTurnDetail(turn);
  const warnings = shown.warnings.map(({ code, param }) => (param === null ? code : `${code} (${param})`));
  const transfers = shown.transfers.map(({ kind, amount }) => `${kind} ${amount}`);
  printRecord(options.json ? shown : { ...shown, warnings, transfers }, options);
}

async function summary(options: OrganizationOptions) {
  const shown = await withOrganization(options.org, ({ store, clock }, { id: organizationId }) =>
    readTurnSummary(store, { organizationId, memberId: null, nowMs: clock.nowMs() }),
  );
  const failures = shown.failures.map(({ code, turns }) => `${code} ${turns}`);
  const times = (each: { p50: number; p95: number } | null) => each && `p50 ${each.p50}, p95 ${each.p95}`;
  const { first_output_ms: first, duration_ms: duration } = shown;
  const brief = { ...shown, failures, first_output_ms: times(first), duration_ms: times(duration) };
  printRecord(options.json ? shown : brief, options);
}
