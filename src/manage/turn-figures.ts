// Figures of the log of turns: by hour, by group, and of the last hour. docs/management.md (The log of turns)
import Type, { type Static } from "typebox";
import { HOUR_SECONDS, MINUTE_SECONDS, timeOf } from "../base/time.ts";
import { FAILURE_CODES, type FailureCode } from "../contract/failures.ts";
import {
  TURN_GROUPS_MAX,
  TURN_SUMMARY_MINUTES,
  TURN_SUMMARY_READ_MAX,
  TURNS_READ_MAX,
} from "../contract/manage/limits.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import { TURN_GROUPINGS } from "../contract/manage/turn-groupings.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { time } from "../contract/manage/resource-fields.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import { secondsOf } from "../ports/clock.ts";
import type * as stored from "../ports/store/response-log.ts";
import { completeMember } from "./members.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { whole } from "./fields.ts";
import { filter, FILTER_OPTIONS, readFilter, SECONDS_MAX } from "./turn-filter.ts";

const readFrom = orNull(time("Unix seconds: complete from here on; null: every turn of the filter is counted"));

const countTurns = operation({
  route: "GET /organizations/:organization_id/turn-counts",
  isLong: true,
  roles: EVERYBODY,
  summary: "Count turns by the hour in which they began, and by model",
  description:
    "With the filters of the log of turns. Members see only the turns of their own keys. At most the newest 10,000 turns are read; the counts are complete from `read_from` on.",
  input: filter,
  output: {
    TurnCounts: Type.Object({
      data: Type.Array(
        Type.Object({
          from: time("Unix seconds: the begin of the hour in which they began"),
          model: Type.String(),
          turns: Type.Integer(),
        }),
        { description: "in the order of time" },
      ),
      read_from: readFrom,
    }),
  },
  async run(context, query) {
    const wanted = readFilter(context, query);
    if (wanted === null) return { data: [], read_from: null };
    const { counts, readFrom: from } = await context.store.countResponses({ filter: wanted, readsMax: TURNS_READ_MAX });
    return {
      data: counts.map(({ hour, model, responses }) => ({ from: hour * HOUR_SECONDS, model, turns: responses })),
      read_from: from,
    };
  },
});

const sums = {
  turns: Type.Integer({ description: "turns, running ones included" }),
  failed: Type.Integer({ description: "those of them that failed" }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  credits: Type.Number({ description: "credits charged" }),
};

const NO_SUMS = { responses: 0, failed: 0, inputTokens: 0, outputTokens: 0, chargedNano: 0n };
const NO_GROUPS: stored.ResponseGroups = {
  groups: [],
  others: { groups: 0, ...NO_SUMS },
  none: NO_SUMS,
  total: NO_SUMS,
  readFrom: null,
};

const groupTurns = operation({
  route: "GET /organizations/:organization_id/turn-groups",
  isLong: true,
  roles: EVERYBODY,
  summary: "Add up turns by end user, label, conversation, model, key or member",
  description:
    "With the filters of the log of turns. Members see only the turns of their own keys. `data` has the 100 groups that were charged most, `others` the sum of the rest, `none` the turns without a group; together they are `total`. At most the newest 10,000 turns are read; the sums are complete from `read_from` on.",
  command: {
    words: "turns groups",
    help: `add up turns by group, the ${TURN_GROUPS_MAX} that were charged most first`,
    options: { ...FILTER_OPTIONS, by: { flags: "--by <what>", help: "the group" } },
    complete: completeMember,
    show({ by, data, others: { groups: count, ...others }, none, total, read_from: from }) {
      const groups = [
        ...data.map(({ id, name, ...of }) => ({ [by]: name ?? id, ...of })),
        ...(count === 0 ? [] : [{ [by]: `${count} others`, ...others }]),
        ...(none.turns === 0 ? [] : [{ [by]: "none", ...none }]),
      ];
      const rows = groups.length === 0 ? [] : [...groups, { [by]: "total", ...total }];
      return from === null ? rows : { "turns before these were not all read": timeOf(from), groups: rows };
    },
    whenEmpty: "There are no such turns.",
  },
  input: { by: oneOf(TURN_GROUPINGS, "what the turns are grouped by"), ...filter },
  output: {
    TurnGroups: Type.Object({
      by: oneOf(TURN_GROUPINGS),
      data: Type.Array(
        Type.Object({
          id: Type.String({ description: "the group, as the filter of its name takes it" }),
          name: orNull(
            Type.String({ description: "a key's name or a member's e-mail address; null for other groups" }),
          ),
          ...sums,
        }),
        { description: "the groups that were charged most, in that order" },
      ),
      others: Type.Object(
        { groups: Type.Integer({ description: "number of these groups" }), ...sums },
        { description: "the groups that are not listed" },
      ),
      none: Type.Object(sums, { description: "the turns that belong to no group: the filter is `none`" }),
      total: Type.Object(sums, { description: "`data`, `others` and `none` together" }),
      read_from: readFrom,
    }),
  },
  async run(context, { by, ...query }) {
    const wanted = readFilter(context, query);
    const groups = { filter: wanted, by, limit: TURN_GROUPS_MAX, readsMax: TURNS_READ_MAX };
    const found = wanted === null ? NO_GROUPS : await context.store.groupResponses({ ...groups, filter: wanted });
    return {
      by,
      data: found.groups.map(({ id, name, ...of }) => ({ id, name, ...presentLoggedSums(of) })),
      others: { groups: found.others.groups, ...presentLoggedSums(found.others) },
      none: presentLoggedSums(found.none),
      total: presentLoggedSums(found.total),
      read_from: found.readFrom,
    };
  },
});

function presentLoggedSums({ responses, failed, inputTokens, outputTokens, chargedNano }: stored.LoggedSums) {
  const credits = creditsAsNumber(chargedNano);
  return { turns: responses, failed, input_tokens: inputTokens, output_tokens: outputTokens, credits };
}

const percentiles = (description: string) =>
  orNull(
    Type.Object(
      { p50: Type.Integer(), p95: Type.Integer() },
      { description: `milliseconds ${description}; null: none is known` },
    ),
  );

const TurnSummary = Type.Object({
  from: time("Unix seconds: turns that began then or later"),
  to: time("Unix seconds: turns that began before"),
  turns: Type.Integer({ description: "turns, running ones included" }),
  has_more: Type.Boolean({ description: "whether the hour has more turns, before those that were read" }),
  turns_per_minute: Type.Number({ description: "from `from` until now" }),
  failures: Type.Array(Type.Object({ code: oneOf(FAILURE_CODES), turns: Type.Integer() }), {
    description: "most frequent first",
  }),
  first_output_ms: percentiles("from the begin of a turn to its first output"),
  duration_ms: percentiles("from the begin of a turn to its end"),
});

const showTurnSummary = operation({
  route: "GET /organizations/:organization_id/turn-summary",
  isLong: true,
  roles: EVERYBODY,
  summary: "Summarize the turns of an hour, by default the last one",
  description:
    "Turns, turns a minute, failures by code, and percentiles of times. Members see those of their own keys. At most the newest 1,000 turns are read: if the hour has more, `has_more` is true and `from` is the time of the oldest that was read. `from` and `to` fit the filters of the log of turns.",
  command: {
    words: "turns summary",
    help: "sum up the turns of the last hour, or of the hour before a time: turns a minute, failures, times",
    options: { to: { ...FILTER_OPTIONS.to, help: "the hour before that (default: now)" } },
    show({ from, to, failures, first_output_ms: first, duration_ms: duration, ...summary }) {
      const times = (each: typeof first) => each && `p50 ${each.p50}, p95 ${each.p95}`;
      return {
        from: timeOf(from),
        to: timeOf(to),
        ...summary,
        failures: failures.map(({ code, turns }) => `${code} ${turns}`),
        first_output_ms: times(first),
        duration_ms: times(duration),
      };
    },
  },
  input: {
    to: Type.Optional(
      whole(HOUR_SECONDS, "the hour that ends with the minute of this Unix second; now if not given", SECONDS_MAX),
    ),
  },
  output: { TurnSummary },
  async run(context, { to: end = secondsOf(context.nowMs) }) {
    // Whole minutes, as the filters of the app.
    const to = (Math.floor(end / MINUTE_SECONDS) + 1) * MINUTE_SECONDS;
    const from = to - TURN_SUMMARY_MINUTES * MINUTE_SECONDS;
    const until = Math.max(from + 1, Math.min(to, secondsOf(context.nowMs) + 1));
    const wanted = readFilter(context, { from, to });
    if (wanted === null) return summarize([], { from, to, until, hasMore: false });
    const page = { filter: wanted, from: null, limit: TURN_SUMMARY_READ_MAX, readsMax: TURN_SUMMARY_READ_MAX };
    const { responses, next } = await context.store.listResponses(page);
    const hasMore = next !== null;
    return summarize(responses, { from: hasMore ? (responses.at(-1)?.createdAt ?? from) : from, to, until, hasMore });
  },
});

/** The figures of the turns that began between two times; `until` is the end of the part that has passed. */
export function summarize(
  turns: readonly Pick<stored.LoggedResponse, "failureCode" | "firstOutputMs" | "durationMs">[],
  { from, to, until, hasMore }: { from: number; to: number; until: number; hasMore: boolean },
): Static<typeof TurnSummary> {
  const failures = new Map<FailureCode, number>();
  for (const { failureCode } of turns) {
    if (failureCode !== null) failures.set(failureCode, (failures.get(failureCode) ?? 0) + 1);
  }
  return {
    from,
    to,
    turns: turns.length,
    has_more: hasMore,
    turns_per_minute: Math.round((turns.length / ((until - from) / MINUTE_SECONDS)) * 100) / 100,
    failures: [...failures]
      .map(([code, count]) => ({ code, turns: count }))
      .toSorted((a, b) => b.turns - a.turns || (a.code < b.code ? -1 : 1)),
    first_output_ms: percentilesOf(turns.map(({ firstOutputMs }) => firstOutputMs)),
    duration_ms: percentilesOf(turns.map(({ durationMs }) => durationMs)),
  };
}

/** The nearest-rank percentiles of the values that are known; null: none is. */
function percentilesOf(values: readonly (number | null)[]) {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  const [p50, p95] = [0.5, 0.95].map((share) => sorted[Math.ceil(sorted.length * share) - 1]);
  return p50 === undefined || p95 === undefined ? null : { p50, p95 };
}

export const TURN_FIGURES = {
  tag: "Turns",
  about: "the log of turns: what ran, without its content",
  operations: { groupTurns, showTurnSummary, countTurns },
} as const satisfies Subject;
