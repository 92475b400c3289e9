// The log of turns: what ran, without its content.
import Type from "typebox";
import { FAILURE_CODES } from "../failures.ts";
import { oneOf } from "../one-of.ts";
import { orNull } from "../or-null.ts";
import { RESPONSE_STATUSES } from "../statuses.ts";
import { Transfer } from "./ledger.ts";
import { pricesIn, seconds, tokenCounts } from "./resource-fields.ts";
import { TURN_GROUPINGS } from "./turn-groupings.ts";

const milliseconds = (description: string) => orNull(Type.Integer({ description: `milliseconds; ${description}` }));
const cursor = (description: string) => orNull(Type.String({ description }));

const listed = {
  id: Type.String({ description: "the response" }),
  created_at: seconds,
  completed_at: orNull(seconds),
  status: oneOf(RESPONSE_STATUSES),
  failure_code: orNull(oneOf(FAILURE_CODES)),
  model: Type.String(),
  key: Type.String(),
  key_name: orNull(Type.String()),
  member: orNull(Type.String({ description: "the member who owned the key then" })),
  email: orNull(Type.String({ description: "null: the member was removed" })),
  conversation: orNull(Type.String()),
  end_user: orNull(
    Type.String({ description: "a hash of `safety_identifier` or `user`; null: neither was sent, or it was erased" }),
  ),
  label: orNull(
    Type.String({
      description:
        "`KEY=VALUE` of the metadata key that `turn_log.metadata_key` names; null: there is none, or it was erased",
    }),
  ),
  ...tokenCounts,
  credits: orNull(Type.Number({ description: "credits charged; null: it runs" })),
  first_output_ms: milliseconds("from its begin to its first output"),
  duration_ms: milliseconds("from its begin to its end; null: it runs, or was settled without its run"),
};

const { prices, tiers } = pricesIn("credits per million tokens");

export const TurnPage = Type.Object(
  {
    data: Type.Array(Type.Object(listed)),
    has_more: Type.Boolean({ description: "whether there are more turns to read in the direction of the page" }),
    older: cursor("`before` of the page of older turns; null: there are none, or none are known"),
    newer: cursor("`after` of the page of newer turns; null: the page is empty"),
  },
  { description: "Newest first." },
);

export const TurnDetail = Type.Object({
  ...listed,
  previous_response_id: orNull(Type.String()),
  turn: Type.String({ description: "the first response of its turn: another one if it continues with tool outputs" }),
  queue_ms: milliseconds("from its begin to its slot"),
  attempts: orNull(Type.Integer({ description: "how often its provider was called" })),
  provider_status: orNull(Type.Integer({ description: "the status of the provider's last response" })),
  provider_request_id: orNull(Type.String({ description: "the provider's own id of that request" })),
  incomplete_reason: orNull(Type.String()),
  tool_calls_dropped: Type.Integer(),
  warnings: Type.Array(Type.Object({ code: Type.String(), param: orNull(Type.String()) }), {
    description: "`svc:warnings`, without their messages",
  }),
  prices: orNull(
    Type.Object({ ...prices, tiers }, { description: "the prices when it began; null: the model was free" }),
  ),
  held: Type.Number({ description: "credits held for it at its end, or now" }),
  transfers: Type.Array(Transfer, { description: "its transfers in the ledger, in their order" }),
  deleted_at: orNull(seconds),
});

const readFrom = orNull(
  Type.Integer({
    description: "Unix seconds: turns that began earlier were not all read; null: every turn of the filter is counted",
  }),
);

export const TurnCounts = Type.Object({
  data: Type.Array(
    Type.Object({
      from: Type.Integer({ description: "Unix seconds: the begin of the hour in which they began" }),
      model: Type.String(),
      turns: Type.Integer(),
    }),
    { description: "in the order of time" },
  ),
  read_from: readFrom,
});

const sums = {
  turns: Type.Integer({ description: "turns that began, those that still run included" }),
  failed: Type.Integer({ description: "those of them that failed" }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  credits: Type.Number({ description: "credits charged" }),
};

export const TurnGroups = Type.Object({
  by: oneOf(TURN_GROUPINGS),
  data: Type.Array(
    Type.Object({
      id: Type.String({ description: "the group, as the filter of its name takes it" }),
      name: orNull(
        Type.String({ description: "of a key its name, of a member the e-mail address; null: there is none" }),
      ),
      ...sums,
    }),
    { description: "the groups that were charged most, in that order" },
  ),
  others: Type.Object(
    { groups: Type.Integer({ description: "how many groups these are" }), ...sums },
    { description: "the groups that are not listed" },
  ),
  none: Type.Object(sums, { description: "the turns that belong to no group: the filter is `none`" }),
  total: Type.Object(sums, { description: "`data`, `others` and `none` together" }),
  read_from: readFrom,
});

const percentiles = (description: string) =>
  orNull(
    Type.Object(
      { p50: Type.Integer(), p95: Type.Integer() },
      { description: `milliseconds; ${description}; null: none is known` },
    ),
  );

export const TurnSummary = Type.Object({
  from: Type.Integer({ description: "Unix seconds: turns that began then or later" }),
  to: Type.Integer({ description: "Unix seconds: and before" }),
  turns: Type.Integer({ description: "turns that began, those that still run included" }),
  has_more: Type.Boolean({ description: "whether the hour has more turns, before those that were read" }),
  turns_per_minute: Type.Number({ description: "from `from` until now" }),
  failures: Type.Array(Type.Object({ code: oneOf(FAILURE_CODES), turns: Type.Integer() }), {
    description: "most frequent first",
  }),
  first_output_ms: percentiles("from the begin of a turn to its first output"),
  duration_ms: percentiles("from the begin of a turn to its end"),
});
