// turngate turns …: the log of turns, without their content.
import { type Command, Option } from "commander";
import { TURN_GROUPS_MAX, TURNS_PAGE_DEFAULT, TURNS_PAGE_MAX, TURNS_READ_MAX } from "../../contract/manage/limits.ts";
import { TURN_GROUPINGS, type TurnGrouping } from "../../contract/manage/turn-groupings.ts";
import { presentLoggedTurn, presentTurnDetail, presentTurnGroups } from "../../flows/accounts/present-turns.ts";
import { readTurnSummary } from "../../flows/manage/turn-summary.ts";
import type { LoggedTurn, TurnFilter, TurnLogStore } from "../../ports/store/turn-log.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { limitOption, ORGANIZATION, type OrganizationOptions } from "./options.ts";
import { print, printList, type Printed, printRecord } from "./output.ts";
import { addFilterOptions, type FilterOptions, readTurnFilter } from "./turn-filter.ts";
import { withOrganization } from "./with-store.ts";

export function addTurns(program: Command): void {
  const turns = program.command("turns").description("the log of turns: what ran, without its content");
  const listing = turns
    .command("list")
    .description("list turns, newest first")
    .requiredOption(...ORGANIZATION);
  addFilterOptions(listing)
    .addOption(limitOption("turns", TURNS_PAGE_MAX, TURNS_PAGE_DEFAULT))
    .action(list);
  const grouping = turns
    .command("groups")
    .description(`add up turns by group, the ${TURN_GROUPS_MAX} that were charged most first`)
    .requiredOption(...ORGANIZATION)
    .addOption(new Option("--by <what>", "what they are grouped by").choices([...TURN_GROUPINGS]).makeOptionMandatory())
    .action(group);
  addFilterOptions(grouping);
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

interface ListOptions extends OrganizationOptions, FilterOptions {
  readonly limit: number;
}

async function list(options: ListOptions) {
  const turns = await withOrganization(options.org, async (services, organization) => {
    const filter = await readTurnFilter(options, services, organization);
    return readNewest(services.store, filter, options.limit);
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

async function group(options: OrganizationOptions & FilterOptions & { readonly by: TurnGrouping }) {
  const { by } = options;
  const groups = await withOrganization(options.org, async (services, organization) => {
    const filter = await readTurnFilter(options, services, organization);
    return services.store.groupTurns({ filter, by, limit: TURN_GROUPS_MAX, readsMax: TURNS_READ_MAX });
  });
  const shown = presentTurnGroups(groups);
  if (options.json) return printRecord({ by, ...shown }, options);
  const { groups: count, ...others } = shown.others;
  const rows = [
    ...shown.data.map(({ id, name, ...sums }) => ({ [by]: name ?? id, ...sums })),
    ...(count === 0 ? [] : [{ [by]: `${count} others`, ...others }]),
    ...(shown.none.turns === 0 ? [] : [{ [by]: "none", ...shown.none }]),
  ];
  printList(rows.length === 0 ? [] : [...rows, { [by]: "total", ...shown.total }], options, "There are no such turns.");
  if (shown.read_from === null) return;
  const since = new Date(shown.read_from * 1000).toISOString();
  print(`There are more than ${TURNS_READ_MAX} turns: those before ${since} were not all read.\n`);
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
