// Fit and truncation: how much of a history is sent. @spec endpoints/truncation-behavior
import { estimateTokens } from "../../contract/characters.ts";
import { ApiError } from "../../contract/errors.ts";
import {
  CHARACTERS_PER_TOKEN,
  OUTPUT_RESERVE_SHARE,
  PLATFORM_RESERVE_TOKENS,
  TRUNCATION_HEADROOM_SHARE,
} from "../../contract/limits.ts";
import type { Truncation } from "../../contract/settings.ts";
import type { CatalogModel } from "../models/catalog.ts";
import type { HistoryItem } from "../history/history-item.ts";

/**
 * The most items of a history that one turn sends. Texts may be empty, so their characters alone bound neither the time
 * nor the memory that a history takes: 100,000 items took a second of the event loop.
 */
export const HISTORY_ITEMS_MAX = 20_000;

/**
 * Tokens available to instructions, history and input: the model's window minus the output, minus 15 percent of the
 * output, minus the platform's reserve. `maxOutputTokens` is the effective limit, or the model's default when none was
 * set.
 */
export function usableTokens(model: CatalogModel, maxOutputTokens: number): number {
  const reserve = Math.ceil(maxOutputTokens * OUTPUT_RESERVE_SHARE);
  return Math.max(0, model.contextWindow - maxOutputTokens - reserve - PLATFORM_RESERVE_TOKENS);
}

export interface WindowInput {
  readonly model: CatalogModel;
  readonly maxOutputTokens: number;
  readonly truncation: Truncation;
  /** Characters of the instructions and the new input. */
  readonly sentSize: number;
  /** Characters of the whole history. */
  readonly historySize: number;
}

/**
 * How much of the history to read: all of it, or with `auto` what may still fit. Throws 400 `context_length_exceeded`.
 */
export function windowToRead(input: WindowInput): { readonly sizeMax: number; readonly truncates: boolean } {
  const usable = usableTokens(input.model, input.maxOutputTokens);
  if (estimateTokens(input.sentSize + input.historySize) <= usable) {
    return { sizeMax: input.historySize, truncates: false };
  }
  if (input.truncation === "disabled") {
    throw tooLong(input, input.sentSize + input.historySize, "set truncation to auto, or send less");
  }
  if (estimateTokens(input.sentSize) > usable) throw tooLong(input, input.sentSize, "send less");
  return { sizeMax: usable * CHARACTERS_PER_TOKEN - input.sentSize, truncates: true };
}

/**
 * Drops the oldest whole turns of the history that was read, until the rest leaves another 10 percent of the usable
 * tokens free. `keptFrom`: index of the first item of the turn that tool outputs continue, which is never dropped; the
 * history's length for a user turn. Throws 400 `context_length_exceeded` when that turn alone does not fit.
 */
export function truncate(
  history: readonly HistoryItem[],
  keptFrom: number,
  input: WindowInput,
): readonly HistoryItem[] {
  const usable = usableTokens(input.model, input.maxOutputTokens);
  const target = Math.floor(usable * (1 - TRUNCATION_HEADROOM_SHARE));
  let size = input.sentSize;
  let cut = history.length;
  for (let index = history.length - 1; index >= 0; index--) {
    const entry = history[index] as HistoryItem;
    size += entry.size;
    const isKept = index >= keptFrom;
    if (history.length - index > HISTORY_ITEMS_MAX) {
      if (isKept) throw tooManyItems("the turn being continued has more by itself");
      break;
    }
    if (estimateTokens(size) > (isKept ? usable : target)) {
      if (isKept) throw tooLong(input, size, "the turn being continued does not fit by itself");
      break;
    }
    // The history may be cut only where a turn begins.
    if (entry.opensTurn || isKept) cut = index;
  }
  return history.slice(cut);
}

/**
 * Whether so many items, as many as were read of a history, are more than one turn sends. Throws 400
 * `context_length_exceeded` when nothing may be dropped.
 */
export function holdsTooManyItems(count: number, { truncation }: Pick<WindowInput, "truncation">): boolean {
  if (count <= HISTORY_ITEMS_MAX) return false;
  if (truncation === "disabled") throw tooManyItems("set truncation to auto");
  return true;
}

function tooManyItems(advice: string): ApiError {
  const most = HISTORY_ITEMS_MAX.toLocaleString("en");
  return new ApiError("context_length_exceeded", `A turn sends at most ${most} items of its history: ${advice}.`);
}

function tooLong(input: WindowInput, characters: number, advice: string): ApiError {
  const usable = usableTokens(input.model, input.maxOutputTokens);
  return new ApiError(
    "context_length_exceeded",
    `This turn needs about ${estimateTokens(characters)} tokens; ${usable} fit the context window of ${input.model.id} ` +
      `beside an output of ${input.maxOutputTokens}: ${advice}.`,
  );
}
