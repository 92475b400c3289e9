// The log of turns: what ran, without its content. docs/management.md
import Type, { type Static } from "typebox";
import { timeOf } from "../base/time.ts";
import { invalidInput, notFound } from "../contract/errors.ts";
import { FAILURE_CODES, type FailureCode } from "../contract/failures.ts";
import { FAILURE_RULES } from "../core/explanations/failures.ts";
import { TURNS_PAGE_DEFAULT, TURNS_PAGE_MAX, TURNS_READ_MAX } from "../contract/manage/limits.ts";
import { pricesIn, seconds, tokenCounts } from "../contract/manage/resource-fields.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import { oneOf, orNull } from "../contract/shapes.ts";
import { FailedAttempt } from "../contract/resources.ts";
import { RESPONSE_STATUSES } from "../contract/statuses.ts";
import { creditsAsNumber } from "../core/money/credits.ts";
import type { Prices, PriceSnapshot } from "../core/money/prices.ts";
import { readableMember } from "../flows/manage/principal.ts";
import { secondsOf } from "../ports/clock.ts";
import type { Transfer as Transferred } from "../ports/store/money.ts";
import type * as stored from "../ports/store/response-log.ts";
import { pageSize } from "./fields.ts";
import { presentTransfer, Transfer } from "./ledger.ts";
import { completeMember } from "./members.ts";
import { operation, type Subject } from "./definition/operation.ts";
import { cursorOf, filter, FILTER_OPTIONS, placeInLog, readCursor, readFilter } from "./turn-filter.ts";

const milliseconds = (description: string) => orNull(Type.Integer({ description: `milliseconds ${description}` }));
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
  member: orNull(Type.String({ description: "the member who owned the key at the time" })),
  email: orNull(Type.String({ description: "null: the member was removed" })),
  conversation: orNull(Type.String()),
  request_id: orNull(
    Type.String({ description: "the `x-request-id` of the create that made it; null: made before a release kept it" }),
  ),
  end_user: orNull(
    Type.String({ description: "a hash of `safety_identifier` or `user`; null: neither was sent, or it was erased" }),
  ),
  label: orNull(
    Type.String({
      description: "`KEY=VALUE` of the metadata key `turn_log.metadata_key`; null: not sent, or erased",
    }),
  ),
  ...tokenCounts,
  credits: orNull(Type.Number({ description: "credits charged; null: still running" })),
  first_output_ms: milliseconds("from its begin to its first output"),
  duration_ms: milliseconds("from its begin to its end; null: still running, or ended by a crash"),
};

function presentTurn(turn: stored.LoggedResponse) {
  const { usage } = turn;
  return {
    id: turn.id,
    created_at: turn.createdAt,
    completed_at: turn.completedAt,
    status: turn.status,
    failure_code: turn.failureCode,
    model: turn.model,
    key: turn.keyId,
    key_name: turn.keyName,
    member: turn.memberId,
    email: turn.memberEmail,
    conversation: turn.conversationId,
    request_id: turn.requestId,
    end_user: turn.endUser,
    label: turn.label,
    input_tokens: usage.input_tokens,
    cached_tokens: usage.input_tokens_details.cached_tokens,
    cache_write_tokens: usage.input_tokens_details.cache_write_tokens,
    output_tokens: usage.output_tokens,
    reasoning_tokens: usage.output_tokens_details.reasoning_tokens,
    credits: turn.chargedNano === null ? null : creditsAsNumber(turn.chargedNano),
    first_output_ms: turn.firstOutputMs,
    duration_ms: turn.durationMs,
  };
}

const listTurns = operation({
  route: "GET /organizations/:organization_id/turns",
  isLong: true,
  roles: EVERYBODY,
  summary: "List turns, newest first, without their content",
  description:
    "Members see only the turns of their own keys. A page reads a limited number of turns to find those of a filter: it may have fewer than `limit`, or none, while `has_more` is true.",
  command: {
    words: "turns list",
    help: "list turns, newest first",
    options: FILTER_OPTIONS,
    complete: completeMember,
    show: ({ data }) =>
      data.map((turn) => ({
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
    whenEmpty: "There are no such turns.",
  },
  input: {
    ...filter,
    limit: pageSize(TURNS_PAGE_MAX, TURNS_PAGE_DEFAULT),
    before: placeInLog("`older` of another page: the turns before it"),
    after: placeInLog("`newer` of another page: the turns after it"),
  },
  output: {
    TurnPage: Type.Object(
      {
        data: Type.Array(Type.Object(listed)),
        has_more: Type.Boolean({ description: "whether there are more turns to read in the direction of the page" }),
        older: cursor("`before` of the page of older turns; null: no older turns are known"),
        newer: cursor("`after` of the page of newer turns; null: the page is empty"),
      },
      { description: "Newest first." },
    ),
  },
  async run(context, { limit, before, after, ...query }) {
    const wanted = readFilter(context, query);
    if (before !== undefined && after !== undefined)
      throw invalidInput("after", "before and after exclude each other.");
    if (wanted === null) return { data: [], has_more: false, older: null, newer: null };
    const at = before ?? after;
    const direction = after === undefined ? "older" : "newer";
    const from = at === undefined ? null : ({ place: readCursor(at), direction } as const);
    const { responses, next } = await context.store.listResponses({
      filter: wanted,
      from,
      limit,
      readsMax: TURNS_READ_MAX,
    });
    // Where older and newer pages begin, as far as the page tells.
    const [newest, oldest] = [responses[0], responses.at(-1)].map(
      (turn) => turn && cursorOf({ createdAt: turn.createdAt, responseId: turn.id }),
    );
    const nextCursor = next === null ? null : cursorOf(next);
    const cursors =
      after === undefined
        ? { older: nextCursor, newer: newest ?? null }
        : { older: oldest ?? null, newer: nextCursor ?? newest ?? after };
    return { data: responses.map(presentTurn), has_more: next !== null, ...cursors };
  },
});

const { prices, tiers } = pricesIn("credits per million tokens");

const TurnPrices = Type.Object(
  { ...prices, tiers },
  { description: "the prices when it began; null: the model was free" },
);

function presentPrices({ tiers: of, ...base }: PriceSnapshot): Static<typeof TurnPrices> {
  return {
    ...inCredits(base),
    tiers: of.map(({ above_input_tokens, ...tier }) => ({ above_input_tokens, ...inCredits(tier) })),
  };
}

function inCredits({ input, cached_input, cache_write, output }: Prices) {
  return {
    input: creditsAsNumber(BigInt(input)),
    cached_input: creditsAsNumber(BigInt(cached_input)),
    cache_write: creditsAsNumber(BigInt(cache_write)),
    output: creditsAsNumber(BigInt(output)),
  };
}

/** Such as `input 1, …, output 2 credits per million tokens; above 100000 input tokens: input 2, …`. */
function describePrices({ tiers: of, ...base }: Static<typeof TurnPrices>): string {
  const listOf = (each: object) =>
    Object.entries(each)
      .map(([name, price]) => `${name} ${price}`)
      .join(", ");
  const further = of.map(({ above_input_tokens: above, ...tier }) => `; above ${above} input tokens: ${listOf(tier)}`);
  return `${listOf(base)} credits per million tokens${further.join("")}`;
}

const showTurn = operation({
  route: "GET /organizations/:organization_id/turns/:response_id",
  roles: EVERYBODY,
  summary: "Show a turn, without its content",
  description: "Members see only the turns of their own keys.",
  command: {
    words: "turns show",
    help: "show a turn",
    options: { response_id: { flags: "<response>", help: "the id of its response" } },
    show: ({ warnings, transfers, failure, failed_attempts: failed, prices: of, ...turn }) => ({
      ...turn,
      prices: of && describePrices(of),
      ...(failure === null ? {} : { failure: failure.rule, failure_message: failure.message }),
      failed_attempts: failed.map(({ target, code, started_ms: from, duration_ms: lasted }) => {
        return `${target} ${code} at ${from} ms for ${lasted} ms`;
      }),
      warnings: warnings.map(({ code, param }) => (param === null ? code : `${code} (${param})`)),
      transfers: transfers.map(({ kind, amount }) => `${kind} ${amount}`),
    }),
  },
  output: {
    TurnDetail: Type.Object({
      ...listed,
      previous_response_id: orNull(Type.String()),
      turn: Type.String({
        description: "the first response of its turn: another one if it continues with tool outputs",
      }),
      queue_ms: milliseconds("from its begin to its slot"),
      attempts: orNull(Type.Integer({ description: "how often its provider was called" })),
      target: orNull(Type.String({ description: "`svc:target`; null: the model has none, or none was asked" })),
      target_started_ms: milliseconds("from its begin to the call of `target`"),
      failed_attempts: Type.Array(FailedAttempt, { description: "`svc:attempts`" }),
      provider_status: orNull(Type.Integer({ description: "the status of the provider's last response" })),
      provider_request_id: orNull(Type.String({ description: "the provider's own id of that request" })),
      incomplete_reason: orNull(Type.String()),
      tool_calls_dropped: Type.Integer(),
      warnings: Type.Array(Type.Object({ code: Type.String(), param: orNull(Type.String()) }), {
        description: "`svc:warnings`, without their messages",
      }),
      prices: orNull(TurnPrices),
      held: Type.Number({ description: "credits held for it at its end, or now" }),
      transfers: Type.Array(Transfer, { description: "its transfers in the ledger, in their order" }),
      deleted_at: orNull(seconds),
      failure: orNull(
        Type.Object(
          {
            rule: Type.String({ description: "what happened, as a sentence" }),
            message: orNull(
              Type.String({ description: "what the client was told; null: it may quote the request, or was erased" }),
            ),
            lifted_by: Type.Array(Type.String(), {
              description: "what would let the next one through, each as a sentence",
            }),
          },
          { description: "of `failure_code`" },
        ),
      ),
    }),
  },
  async run({ store, role, session, organization }, { response_id: responseId }) {
    const memberId = readableMember({ role, session });
    if (memberId === undefined) throw notFound();
    const turn = await store.findResponse({ organizationId: organization.id, memberId, responseId });
    if (turn === null) throw notFound();
    const { prices: of, deletedAtMs } = turn;
    return {
      ...presentTurn(turn),
      previous_response_id: turn.previousResponseId,
      turn: turn.turnId,
      queue_ms: turn.queueMs,
      attempts: turn.attempts,
      target: turn.target,
      target_started_ms: turn.targetStartedMs,
      failed_attempts: [...turn.failedAttempts],
      provider_status: turn.providerStatus,
      provider_request_id: turn.providerRequestId,
      incomplete_reason: turn.incompleteReason,
      tool_calls_dropped: turn.toolCallsDropped,
      warnings: [...turn.warnings],
      prices: of && presentPrices(of),
      held: creditsAsNumber(heldFor(turn.transfers)),
      transfers: turn.transfers.map(presentTransfer),
      deleted_at: deletedAtMs === null ? null : secondsOf(deletedAtMs),
      failure: turn.failureCode === null ? null : presentFailure(turn.failureCode, turn.failureMessage),
    };
  },
});

/** The hold at a turn's end, or now: what its settlement added belongs to it, what went back with that does not. */
function heldFor(transfers: readonly Transferred[]): bigint {
  const end = transfers.findIndex(({ kind }) => kind === "settle" || kind === "void");
  const before = end < 0 ? transfers : transfers.slice(0, end);
  return before.reduce((sum, { kind, amountNano }) => (kind === "release" ? sum - amountNano : sum + amountNano), 0n);
}

function presentFailure(code: FailureCode, message: string | null) {
  const { rule, liftedBy } = FAILURE_RULES[code];
  return { rule, message, lifted_by: [...liftedBy] };
}

export const TURNS = {
  tag: "Turns",
  about: "the log of turns: what ran, without its content",
  operations: { listTurns, showTurn },
} as const satisfies Subject;
