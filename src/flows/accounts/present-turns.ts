// JSON of the log of turns, for the command line and the management interface. Times are Unix seconds, credits are
// numbers.
import { creditsAsNumber } from "../../core/money/credits.ts";
import type { Prices } from "../../core/money/prices.ts";
import { presentTransfer } from "./present-spending.ts";
import { secondsOf } from "../../ports/clock.ts";
import type { LoggedTurn, LoggedTurnDetail, TurnGroups, TurnSums } from "../../ports/store/turn-log.ts";

/** A turn as it is listed; `credits` is null while it runs. */
export function presentLoggedTurn(turn: LoggedTurn) {
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

/** A turn with everything that the log knows. Prices are credits per million tokens. */
export function presentTurnDetail(turn: LoggedTurnDetail) {
  const { prices, deletedAtMs } = turn;
  return {
    ...presentLoggedTurn(turn),
    previous_response_id: turn.previousResponseId,
    turn: turn.turnId,
    queue_ms: turn.queueMs,
    attempts: turn.attempts,
    provider_status: turn.providerStatus,
    provider_request_id: turn.providerRequestId,
    incomplete_reason: turn.incompleteReason,
    tool_calls_dropped: turn.toolCallsDropped,
    warnings: turn.warnings,
    prices:
      prices === null
        ? null
        : {
            ...presentPrices(prices),
            tiers: prices.tiers.map(({ above_input_tokens, ...tier }) => ({
              above_input_tokens,
              ...presentPrices(tier),
            })),
          },
    held: creditsAsNumber(turn.heldNano),
    transfers: turn.transfers.map(presentTransfer),
    deleted_at: deletedAtMs === null ? null : secondsOf(deletedAtMs),
  };
}

/** Groups of turns, and what they add up to. */
export function presentTurnGroups({ groups, others, none, total, readFrom }: TurnGroups) {
  return {
    data: groups.map(({ id, name, ...sums }) => ({ id, name, ...presentSums(sums) })),
    others: { groups: others.groups, ...presentSums(others) },
    none: presentSums(none),
    total: presentSums(total),
    read_from: readFrom,
  };
}

function presentSums({ turns, failed, inputTokens, outputTokens, chargedNano }: TurnSums) {
  return {
    turns,
    failed,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    credits: creditsAsNumber(chargedNano),
  };
}

function presentPrices({ input, cached_input, cache_write, output }: Prices) {
  return {
    input: creditsAsNumber(BigInt(input)),
    cached_input: creditsAsNumber(BigInt(cached_input)),
    cache_write: creditsAsNumber(BigInt(cache_write)),
    output: creditsAsNumber(BigInt(output)),
  };
}
