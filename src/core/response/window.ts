// Fit and truncation: how much of a history is sent. @spec endpoints/truncation-behavior
import { estimateTokens } from "../../contract/characters.ts";
import { ApiError } from "../../contract/errors.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { Item } from "../../contract/items.ts";
import {
  CHARACTERS_PER_TOKEN,
  OUTPUT_RESERVE_SHARE,
  PLATFORM_RESERVE_TOKENS,
  TRUNCATION_HEADROOM_SHARE,
} from "../../contract/limits.ts";
import type { Truncation } from "../../contract/settings.ts";
import type { CatalogModel } from "../models/catalog.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { pairCalls } from "./prompt-items.ts";
import { fitsTokens, type PromptTokens } from "./prompt-tokens.ts";
import type { TurnInputItem } from "./user-turn.ts";

/**
 * The most items of a history that one turn sends. Texts may be empty, so their characters alone bound neither the time
 * nor the memory that a history takes: 100,000 items took a second of the event loop.
 */
export const HISTORY_ITEMS_MAX = 20_000;

/** Characters that a further read takes at least, when the one before it read items that are not sent. */
const FURTHER_CHARACTERS = 1_048_576;

/** The most that is read for a model of a smaller window: all of it is in memory at once. */
const READ_CHARACTERS_MAX = 16_777_216;

/**
 * Tokens available to instructions, history and input: the model's window minus the output, minus 15 percent of the
 * output, minus the platform's reserve. `maxOutputTokens` is the effective limit, or the model's default when none was
 * set.
 */
export function usableTokens(model: CatalogModel, maxOutputTokens: number): number {
  const reserve = Math.ceil(maxOutputTokens * OUTPUT_RESERVE_SHARE);
  return Math.max(0, model.contextWindow - maxOutputTokens - reserve - PLATFORM_RESERVE_TOKENS);
}

/** The end of a history, as much as the draft asks for. */
export interface HistoryWindow {
  /** Oldest first. */
  readonly items: readonly HistoryItem[];
  /** Whether nothing of the history lies before them. */
  readonly isWhole: boolean;
  /** The first response of their turn, for the responses in it that continue one; empty when the whole history fits. */
  readonly laterRounds: ReadonlyMap<ResponseId, ResponseId>;
  /** How many items could not be read: the model is not sent them. */
  readonly unreadable: number;
}

export interface FitInput {
  readonly model: CatalogModel;
  readonly maxOutputTokens: number;
  readonly truncation: Truncation;
  /** Characters of the instructions and the new input. */
  readonly sentSize: number;
  /** Characters of the whole history, what is never sent included. */
  readonly historySize: number;
  /** The turns that tool outputs continue, which are never dropped; none: a user turn. */
  readonly continued: readonly ContinuedPart[];
  /** A better count than the estimate, which decides with `auto` what is dropped; null: there is none. */
  readonly tokens: PromptTokens | null;
}

/** A turn that is continued, as a part of the history. */
export interface ContinuedPart {
  /** Its first response, deleted or not. */
  readonly turnId: ResponseId;
  /** The first of its responses that the history has. */
  readonly firstRound: ResponseId;
}

/**
 * How much of the history to read: all of it if it fits, else what may fit. Throws 400 `context_length_exceeded` when
 * the new input alone does not fit.
 */
export function windowToRead(input: FitInput): { readonly sizeMax: number; readonly wholeFits: boolean } {
  const { sentSize, historySize } = input;
  const usable = usableTokens(input.model, input.maxOutputTokens);
  if (estimateTokens(sentSize + historySize) <= usable)
    return { sizeMax: historySize, wholeFits: fitsAll(input, historySize) };
  if (estimateTokens(sentSize) > usable) throw tooLong(input, sentSize, "send less");
  return { sizeMax: usable * CHARACTERS_PER_TOKEN - sentSize, wholeFits: false };
}

/**
 * The turns that are continued, as a later read of the history has them: their responses may have been deleted since the
 * first read, which had all of them.
 */
export function continuedIn(
  { items, laterRounds }: HistoryWindow,
  continued: readonly ContinuedPart[],
): readonly ContinuedPart[] {
  return continued.flatMap(({ turnId }) => {
    const first = items.find(({ responseId: id }) => id !== null && (laterRounds.get(id) ?? id) === turnId);
    return first?.responseId == null ? [] : [{ turnId, firstRound: first.responseId }];
  });
}

/** A turn in a window: the items of its responses, wherever they are, or items that a client added. */
interface WindowTurn {
  readonly items: HistoryItem[];
  /** Characters of those that are sent. */
  size: number;
}

/**
 * How many characters the next read of the history takes; null: what was read is enough, or no more may be read. It is
 * not enough when the part that is sent of it leaves room for a turn that begins before it, as concurrent turns do, or
 * when items in it are never sent.
 */
export function furtherSize(sizeMax: number, window: HistoryWindow, input: FitInput): number | null {
  if (window.isWhole || hasTooManyItems(window)) return null;
  const { turns, continued } = groupByTurn(window, [], input);
  // The calls that are answered now have no outputs yet.
  if (continued !== null) continued.size = continued.items.reduce((sum, { size }) => sum + size, 0);
  const mayFit = fitsAll(input, sizeOf(turns));
  if (!mayFit && chooseTurns(window, { turns, continued }, input).end !== "cut") return null;
  const usable = usableTokens(input.model, input.maxOutputTokens) * CHARACTERS_PER_TOKEN;
  const most = Math.max(READ_CHARACTERS_MAX, 2 * usable + FURTHER_CHARACTERS);
  return sizeMax < most ? Math.min(2 * sizeMax + FURTHER_CHARACTERS, most) : null;
}

/**
 * The items of the history to send: all of them if they fit. Else, with `auto`, without the oldest whole turns, so that
 * another 10 percent of the usable tokens is free; the turn being continued always stays. `newItems` are the input.
 * Throws 400 `context_length_exceeded` when nothing may be dropped or the rest does not fit.
 */
export function fitHistory(
  window: HistoryWindow,
  newItems: readonly TurnInputItem[],
  input: FitInput,
): readonly HistoryItem[] {
  const { turns, continued } = groupByTurn(window, newItems, input);
  const size = sizeOf(turns);
  if (window.isWhole && fitsAll(input, size)) return window.items;
  assertContinuedFits(window, continued, input);
  if (input.truncation === "auto") {
    const { kept } = chooseTurns(window, { turns, continued }, input);
    return window.items.filter((item) => kept.has(item));
  }
  if (hasTooManyItems(window)) throw tooManyItems("set truncation to auto");
  const needed = window.isWhole ? size : input.historySize;
  throw tooLong(input, input.sentSize + needed, "set truncation to auto, or send less");
}

/** Characters of turns. */
function sizeOf(turns: readonly WindowTurn[]): number {
  return turns.reduce((sum, { size }) => sum + size, 0);
}

/** Whether so many characters of history fit without dropping any. */
function fitsAll({ model, maxOutputTokens, truncation, sentSize, tokens }: FitInput, historySize: number): boolean {
  if (estimateTokens(sentSize + historySize) > usableTokens(model, maxOutputTokens)) return false;
  return truncation === "disabled" || tokens === null || fitsTokens(tokens, historySize);
}

function assertContinuedFits(window: HistoryWindow, continued: WindowTurn | null, input: FitInput): void {
  if (input.continued.length === 0) return;
  const usable = usableTokens(input.model, input.maxOutputTokens);
  const size = input.sentSize + (continued?.size ?? 0);
  const isCut = !hasStart(window, input);
  if (isCut && hasTooManyItems(window)) throw tooManyItems("the turn being continued has more by itself");
  if (!isCut && estimateTokens(size) <= usable) return;
  // Of a turn that is cut off, only the end was read: it has more than fits.
  const needed = isCut ? Math.max(size, usable * CHARACTERS_PER_TOKEN + 1) : size;
  throw tooLong(input, needed, "the turn being continued does not fit by itself");
}

/**
 * The items of the newest turns that fit beside the one being continued. `end`: why older turns are not among them. All
 * of the window is; the next turn does not fit; or the window does not have all of the next turn.
 */
function chooseTurns(
  window: HistoryWindow,
  { turns, continued }: { readonly turns: readonly WindowTurn[]; readonly continued: WindowTurn | null },
  input: FitInput,
): { readonly kept: ReadonlySet<HistoryItem>; readonly end: "all" | "full" | "cut" } {
  const usable = usableTokens(input.model, input.maxOutputTokens);
  const target = Math.floor(usable * (1 - TRUNCATION_HEADROOM_SHARE));
  const fits = (history: number) =>
    estimateTokens(input.sentSize + history) <= target &&
    (input.tokens === null || fitsTokens(input.tokens, history, usable - target));
  const kept = new Set<HistoryItem>(continued?.items);
  if (!hasStart(window, input)) return { kept, end: "cut" };
  let size = continued?.size ?? 0;
  let count = kept.size;
  for (const turn of turns.toReversed()) {
    if (turn === continued) continue;
    size += turn.size;
    count += turn.items.length;
    if (count > HISTORY_ITEMS_MAX || !fits(size)) return { kept, end: "full" };
    if (!window.isWhole && turn.items[0]?.opensTurn !== true) return { kept, end: "cut" };
    for (const item of turn.items) kept.add(item);
  }
  return { kept, end: "all" };
}

/** The turns of a window, oldest first by their first items, and the one that is continued. */
function groupByTurn(
  window: HistoryWindow,
  newItems: readonly TurnInputItem[],
  input: FitInput,
): { readonly turns: readonly WindowTurn[]; readonly continued: WindowTurn | null } {
  const { items, laterRounds } = window;
  const [first] = input.continued;
  const callOf = pairCalls([...items, ...newItems]);
  const answered = new Set(callOf.values());
  const turns: WindowTurn[] = [];
  const byResponse = new Map<ResponseId, WindowTurn>();
  const turnAt: WindowTurn[] = [];
  const open = (): WindowTurn => {
    const turn: WindowTurn = { items: [], size: 0 };
    turns.push(turn);
    return turn;
  };
  const turnOf = (responseId: ResponseId): WindowTurn => {
    const own = laterRounds.get(responseId) ?? responseId;
    // Turns that are continued together are dropped by none.
    const turnId = first !== undefined && input.continued.some((part) => part.turnId === own) ? first.turnId : own;
    const turn = byResponse.get(turnId) ?? open();
    byResponse.set(turnId, turn);
    return turn;
  };
  for (const [at, entry] of items.entries()) {
    const { item, responseId, opensTurn, size } = entry;
    const call = callOf.get(at);
    // An added item that opens no turn belongs to the turn before it, an output to that of its call.
    const before = turnAt[call ?? at - 1];
    const turn = responseId === null ? ((opensTurn ? undefined : before) ?? open()) : turnOf(responseId);
    turn.items.push(entry);
    turnAt.push(turn);
    if (isSent(item, call !== undefined || answered.has(at))) turn.size += size;
  }
  return { turns, continued: first === undefined ? null : (byResponse.get(first.turnId) ?? null) };
}

/** Characters of some items of a history that are sent beside the input. */
export function sentCharacters(history: readonly HistoryItem[], newItems: readonly TurnInputItem[]): number {
  const callOf = pairCalls([...history, ...newItems]);
  const answered = new Set(callOf.values());
  let size = 0;
  for (const [at, entry] of history.entries()) {
    if (isSent(entry.item, callOf.has(at) || answered.has(at))) size += entry.size;
  }
  return size;
}

/** A call without its output and an output without its call are not sent. Reasoning has no size. */
function isSent({ type }: Item, isPaired: boolean): boolean {
  return isPaired || (type !== "function_call" && type !== "function_call_output");
}

function hasTooManyItems({ items, unreadable }: HistoryWindow): boolean {
  return items.length + unreadable > HISTORY_ITEMS_MAX;
}

/** Whether a window has all of the turns being continued. */
function hasStart({ items, isWhole }: HistoryWindow, { continued }: FitInput): boolean {
  if (isWhole) return true;
  return continued.every(({ firstRound }) => {
    const at = items.findIndex(({ responseId }) => responseId === firstRound);
    // The items of a response are adjacent: an item before them shows that all were read.
    return at > 0 || (at === 0 && items[0]?.opensTurn === true);
  });
}

function tooManyItems(advice: string): ApiError {
  const most = HISTORY_ITEMS_MAX.toLocaleString("en");
  return new ApiError("context_length_exceeded", `A turn sends at most ${most} items of its history: ${advice}.`);
}

function tooLong(input: FitInput, characters: number, advice: string): ApiError {
  const usable = usableTokens(input.model, input.maxOutputTokens);
  return new ApiError(
    "context_length_exceeded",
    `This turn needs about ${estimateTokens(characters)} tokens; ${usable} fit the context window of ${input.model.id} ` +
      `beside an output of ${input.maxOutputTokens}: ${advice}.`,
  );
}
