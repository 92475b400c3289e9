// turngate turns …, running: the log of turns and those that run now, without their content.
import { type Command, Option } from "commander";
import { timeOf } from "../../base/time.ts";
import {
  RUNNING_TURNS_MAX,
  TURN_GROUPS_MAX,
  TURNS_PAGE_DEFAULT,
  TURNS_PAGE_MAX,
  TURNS_READ_MAX,
} from "../../contract/manage/limits.ts";
import { TURN_GROUPINGS } from "../../contract/manage/turn-groupings.ts";
import { presentRunningTurn } from "../../flows/accounts/present.ts";
import { presentTurnDetail } from "../../flows/accounts/present-turns.ts";
import { groupTurns, listTurns } from "../../flows/manage/turn-log.ts";
import { readTurnSummary } from "../../flows/manage/turn-summary.ts";
import { OperatorError } from "../../config/operator-error.ts";
import { limitOption, ORGANIZATION, type OrganizationOptions, type ScopeOptions } from "./options.ts";
import { linesOf, prints, printsList, tableOf } from "./output.ts";
import { OPERATOR, readPages } from "./queries.ts";
import { addFilterOptions, type FilterOptions, turnQueryOf } from "./turn-filter.ts";
import { withOrganization, withScope } from "./with-store.ts";

const NONE_FOUND = "There are no such turns.";

export function addTurns(program: Command): void {
  const turns = program.command("turns").description("the log of turns: what ran, without its content");
  addFilterOptions(turns.command("list").description("list turns, newest first"))
    .addOption(limitOption("turns", TURNS_PAGE_MAX, TURNS_PAGE_DEFAULT))
    .action(
      printsList(NONE_FOUND, list, (turn) => ({
        created_at: timeOf(turn.created_at),
        id: turn.id,
        status: turn.status,
        failure_code: turn.failure_code,
        model: turn.model,
        key: turn.key_name,
        input_tokens: turn.input_tokens,
        output_tokens: turn.output_tokens,
        credits: turn.credits,
        duration_ms: turn.duration_ms,
      })),
    );
  const groups = turns
    .command("groups")
    .description(`add up turns by group, the ${TURN_GROUPS_MAX} that were charged most first`)
    .addOption(
      new Option("--by <what>", "what they are grouped by").choices([...TURN_GROUPINGS]).makeOptionMandatory(),
    );
  addFilterOptions(groups).action(prints(group, describeGroups));
  turns
    .command("show")
    .description("show a turn")
    .argument("<response>", "the id of its response")
    .requiredOption(...ORGANIZATION)
    .action(
      prints(show, (turn) => {
        const warnings = turn.warnings.map(({ code, param }) => (param === null ? code : `${code} (${param})`));
        const transfers = turn.transfers.map(({ kind, amount }) => `${kind} ${amount}`);
        return linesOf({ ...turn, warnings, transfers });
      }),
    );
  turns
    .command("summary")
    .description("show how the turns of the last hour went: turns a minute, failures, times")
    .requiredOption(...ORGANIZATION)
    .action(prints(summary, describeSummary));

  program
    .command("running")
    .description(`list the turns that run or wait now, on any node: the ${RUNNING_TURNS_MAX} oldest`)
    .option(...ORGANIZATION)
    .action(printsList("No turn is running.", listRunning));
}

function list(options: FilterOptions) {
  return withOrganization(options.org, async (services, organization) => {
    const query = await turnQueryOf("listTurns", options, services.store, organization);
    return readPages(query, (page) =>
      listTurns({ services, organization, principal: OPERATOR }, { ...query, ...page }),
    );
  });
}

function group(options: FilterOptions) {
  return withOrganization(options.org, async (services, organization) => {
    const query = await turnQueryOf("groupTurns", options, services.store, organization);
    return groupTurns({ services, organization, principal: OPERATOR }, query);
  });
}

function describeGroups({ by, data, others, none, total, read_from: readFrom }: Awaited<ReturnType<typeof group>>) {
  const { groups: count, ...sumsOfOthers } = others;
  const rows = [
    ...data.map(({ id, name, ...sums }) => ({ [by]: name ?? id, ...sums })),
    ...(count === 0 ? [] : [{ [by]: `${count} others`, ...sumsOfOthers }]),
    ...(none.turns === 0 ? [] : [{ [by]: "none", ...none }]),
  ];
  const table = tableOf(rows.length === 0 ? [] : [...rows, { [by]: "total", ...total }], NONE_FOUND);
  if (readFrom === null) return table;
  return `${table}There are more than ${TURNS_READ_MAX} turns: those before ${timeOf(readFrom)} were not all read.\n`;
}

async function show(responseId: string, { org }: OrganizationOptions) {
  const turn = await withOrganization(org, ({ store }, { id: organizationId }) =>
    store.findTurn({ organizationId, memberId: null, responseId }),
  );
  if (turn === null) throw new OperatorError(`the organization has no turn ${responseId}; \`turns list\` shows them.`);
  return presentTurnDetail(turn);
}

function summary({ org }: OrganizationOptions) {
  return withOrganization(org, ({ store, clock }, { id: organizationId }) =>
    readTurnSummary(store, { organizationId, memberId: null, nowMs: clock.nowMs() }),
  );
}

function describeSummary(found: Awaited<ReturnType<typeof summary>>): string {
  const failures = found.failures.map(({ code, turns }) => `${code} ${turns}`);
  const times = (each: { p50: number; p95: number } | null) => each && `p50 ${each.p50}, p95 ${each.p95}`;
  const { first_output_ms: first, duration_ms: duration } = found;
  return linesOf({ ...found, failures, first_output_ms: times(first), duration_ms: times(duration) });
}

async function listRunning({ org }: ScopeOptions) {
  const { turns } = await withScope(org, ({ store }, organizationId) =>
    store.listRunning({ organizationId, limit: RUNNING_TURNS_MAX }),
  );
  return turns.map(presentRunningTurn);
}
