// Fit and truncation: what of a history is sent. @spec resources/truncation-behavior
import { estimateTokens } from "../../contract/characters.ts";
import { Refusal } from "../../contract/errors.ts";
import {
  CHARACTERS_PER_TOKEN,
  OUTPUT_RESERVE_SHARE,
  PLATFORM_RESERVE_TOKENS,
  TRUNCATION_HEADROOM_SHARE,
} from "../../contract/limits.ts";
import type { Truncation } from "../../contract/settings.ts";
import type { CatalogModel } from "../catalog.ts";
import type { HistoryItem } from "../history/history-item.ts";

/**
 * Tokens that instructions, history and input may take: the model's window minus the output, minus 15 percent of the output, minus
 * the platform's reserve. `maxOutputTokens` is the effective limit, or the model's default allowance when none was set.
 */
export function usableTokens(model: CatalogModel, maxOutputTokens: number): number {
  const reserve = Math.ceil(maxOutputTokens * OUTPUT_RESERVE_SHARE);
  return Math.max(0, model.contextWindow - maxOutputTokens - reserve - PLATFORM_RESERVE_TOKENS);
}

export interface WindowQuestion {
  readonly model: CatalogModel;
  readonly maxOutputTokens: number;
  readonly truncation: Truncation;
  /** Characters of the instructions and of the input just sent. */
  readonly sentSize: number;
  /** Characters of the whole history. */
  readonly historySize: number;
}

/** How much of the history to read: everything, or under `auto` what could still be sent. Refuses what can't fit at all. */
export function windowToRead(question: WindowQuestion): { readonly sizeMax: number; readonly truncates: boolean } {
  const usable = usableTokens(question.model, question.maxOutputTokens);
  if (estimateTokens(question.sentSize + question.historySize) <= usable) {
    return { sizeMax: question.historySize, truncates: false };
  }
  if (question.truncation === "disabled") {
    throw tooLong(question, question.sentSize + question.historySize, "set truncation to auto, or send less");
  }
  if (estimateTokens(question.sentSize) > usable) throw tooLong(question, question.sentSize, "send less");
  return { sizeMax: usable * CHARACTERS_PER_TOKEN - question.sentSize, truncates: true };
}

/**
 * Drops the oldest whole turns of the history that was read, until what stays leaves a further 10 percent of the usable budget free.
 * `keptFrom`: index of the first item of the turn that is being continued (a tool answer's), which is never dropped; the history's
 * length for a new user turn. Refuses 400 `context_length_exceeded` when that turn alone does not fit.
 */
export function truncate(
  history: readonly HistoryItem[],
  keptFrom: number,
  question: WindowQuestion,
): readonly HistoryItem[] {
  const usable = usableTokens(question.model, question.maxOutputTokens);
  const target = Math.floor(usable * (1 - TRUNCATION_HEADROOM_SHARE));
  let size = question.sentSize;
  let cut = history.length;
  for (let index = history.length - 1; index >= 0; index--) {
    const entry = history[index];
    if (entry === undefined) break;
    size += entry.size;
    const isKept = index >= keptFrom;
    if (estimateTokens(size) > (isKept ? usable : target)) {
      if (isKept) throw tooLong(question, size, "the turn that is being continued does not fit by itself");
      break;
    }
    // Only where a turn begins may the history be cut.
    if (entry.opensTurn || isKept) cut = index;
  }
  return history.slice(cut);
}

function tooLong(question: WindowQuestion, characters: number, advice: string): Refusal {
  const usable = usableTokens(question.model, question.maxOutputTokens);
  return new Refusal(
    "context_length_exceeded",
    `This turn needs about ${estimateTokens(characters)} tokens; ${usable} fit the context window of ${question.model.id} ` +
      `beside an output of ${question.maxOutputTokens}: ${advice}.`,
  );
}
