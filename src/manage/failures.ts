// Failed creates, summed: those whose response failed, and those that never got one. docs/management.md (Failures)
import Type, { type Static, type TObject } from "typebox";
import { HOUR_SECONDS } from "../base/time.ts";
import { ERROR_CATALOGUE, type ErrorCode, invalidInput } from "../contract/errors.ts";
import { FAILURE_CODES } from "../contract/failures.ts";
import {
  FAILURE_GROUPINGS,
  FAILURE_KINDS,
  FAILURE_SUMS_MAX,
  type FailureGrouping,
} from "../contract/manage/failure-counts.ts";
import { time } from "../contract/manage/resource-fields.ts";
import { EVERYBODY, OPERATOR } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { readableMember } from "../flows/manage/principal.ts";
import type { FailureStore, FailureSum } from "../ports/store/failures.ts";
import { ORG_OPTION, whole } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { readOwnFailures, sumUp } from "./own-failures.ts";
import { FILTER_OPTIONS, SECONDS_MAX } from "./turn-filter.ts";

/** Every code of a failed create: of an error response, or of a failed response. */
export const EVERY_CODE = [...new Set([...(Object.keys(ERROR_CATALOGUE) as ErrorCode[]), ...FAILURE_CODES])].sort();

const BY_DEFAULT = "kind,code,model,provider";
const words = FAILURE_GROUPINGS.join("|");

const query = {
  from: Type.Optional(
    whole(0, "failures of the hour of this Unix second or later; a day ago if not given", SECONDS_MAX),
  ),
  to: Type.Optional(whole(0, "failures of hours that begin before this Unix second", SECONDS_MAX)),
  by: Type.String({
    pattern: `^(${words})(,(${words})){0,${FAILURE_GROUPINGS.length - 1}}$`,
    default: BY_DEFAULT,
    description: `what the sums are grouped by, of ${FAILURE_GROUPINGS.join(", ")}, separated by commas`,
  }),
};

const optional = <Shape extends Parameters<typeof orNull>[0]>(shape: Shape) => Type.Optional(orNull(shape));
const FailureSums = Type.Object({
  from: time("Unix seconds: the begin of the first hour"),
  to: time("Unix seconds: the end of the last hour"),
  total: Type.Integer(),
  data: Type.Array(
    Type.Object({
      hour: optional(time("Unix seconds: its begin")),
      kind: optional(
        oneOf(
          FAILURE_KINDS,
          "`failed`: the response failed; `withdrawn`: its provider failed, and the request got an error response; `rejected`: the request got an error response before a provider was called; `cancelled`: the response was cancelled before a provider was called",
        ),
      ),
      code: optional(oneOf(EVERY_CODE)),
      model: optional(Type.String({ description: "null: the request names none that exists" })),
      provider: optional(Type.String({ description: "the provider that failed; null: none did" })),
      failures: Type.Integer(),
    }),
    { description: "In order of time, then the highest first." },
  ),
  read_from: orNull(
    time("Unix seconds: complete from here on, for a member of an organization with many failures; null: complete"),
  ),
});

type Query = Static<TObject<typeof query>>;
interface Hours {
  readonly from: number;
  readonly to: number;
}
type Reader = { readonly store: FailureStore; readonly nowMs: number };

const sumFailures = operation({
  route: "GET /organizations/:organization_id/failures",
  isLong: true,
  roles: EVERYBODY,
  summary: "Sum up failed creates",
  description:
    "However their failure was delivered: as a failed response, as an error response instead of one, or by a cancellation before a provider was called. By the hour in which they failed, for 90 days; rejected requests from a second later on. Requests without a valid key are in no organization's sums. Members see those of their own keys: failed responses by the hour in which they began, and the rejected requests that are kept.",
  input: query,
  output: { FailureSums },
  async run(context, given) {
    const memberId = readableMember(context);
    if (memberId === null) return readSums(context, context.organization.id, given);
    const hours = hoursOf(context, given);
    if (memberId === undefined) return presentSums(hours, groupsOf(given), []);
    const { failures, readFrom } = await readOwnFailures(context, memberId, hours);
    return presentSums(hours, groupsOf(given), sumUp(failures, groupsOf(given)), readFrom);
  },
});

const sumAllFailures = operation({
  route: "GET /failures",
  isLong: true,
  roles: OPERATOR,
  summary: "Sum up failed creates of all organizations",
  description: "The same as `GET /organizations/{organization_id}/failures`, for all organizations.",
  command: {
    words: "failures",
    help: "sum up failed creates, however their failure was delivered, of one organization or of all",
    options: {
      from: { ...FILTER_OPTIONS.from, help: "failures of this hour or later (default: a day ago)" },
      to: { ...FILTER_OPTIONS.to, help: "failures before this hour" },
      by: {
        flags: "--by <what>",
        help: `one row for each of ${FAILURE_GROUPINGS.join(", ")} (default: ${BY_DEFAULT})`,
      },
    },
    variants: { organization_id: { operation: sumFailures, ...ORG_OPTION } },
    whenEmpty: "No failures.",
  },
  input: query,
  output: { FailureSums },
  run: (context, given) => readSums(context, null, given),
});

const DAY_HOURS = 24;

const groupsOf = ({ by }: Query) => by.split(",") as FailureGrouping[];

/** The hours of a query, both included. */
function hoursOf({ nowMs }: Pick<Reader, "nowMs">, given: Query): Hours {
  const now = Math.floor(nowMs / 1000 / HOUR_SECONDS);
  const from = given.from === undefined ? now - DAY_HOURS : Math.floor(given.from / HOUR_SECONDS);
  const to = given.to === undefined ? now : Math.ceil(given.to / HOUR_SECONDS) - 1;
  if (from > to + 1) throw invalidInput("from", "from is later than to.");
  return { from, to };
}

async function readSums(reader: Reader, organizationId: string | null, given: Query) {
  const [hours, by] = [hoursOf(reader, given), groupsOf(given)];
  // One more than there may be tells that there are too many.
  const sums = await reader.store.sumFailures({ organizationId, ...hours, by, limit: FAILURE_SUMS_MAX + 1 });
  if (sums.length > FAILURE_SUMS_MAX) {
    throw invalidInput("by", `There are more than ${FAILURE_SUMS_MAX} sums: ask for fewer hours or coarser groups.`);
  }
  return presentSums(hours, by, sums);
}

function presentSums(
  { from, to }: Hours,
  by: readonly FailureGrouping[],
  sums: readonly FailureSum[],
  readFrom: number | null = null,
) {
  return {
    from: from * HOUR_SECONDS,
    to: (to + 1) * HOUR_SECONDS,
    total: sums.reduce((total, { failures }) => total + failures, 0),
    data: sums.map(({ failures, ...sum }) => {
      const groups = by.map((grouping) => [
        grouping,
        grouping === "hour" ? (sum.hour ?? 0) * HOUR_SECONDS : sum[grouping],
      ]);
      return { ...(Object.fromEntries(groups) as object), failures };
    }),
    read_from: readFrom,
  };
}

export const FAILURES = {
  tag: "Turns",
  operations: { sumAllFailures, sumFailures },
} as const satisfies Subject;
