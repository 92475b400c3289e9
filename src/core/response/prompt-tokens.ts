// Counts of tokens that are better than the estimate of the fit check: what a provider reported for the round before,
// and what a rejection shows. They decide what `truncation: auto` drops, never whether a turn is accepted.
// @spec endpoints/truncation-behavior; docs/wire.md (Context fit)
import { countCharacters, estimateTokens } from "../../contract/characters.ts";
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import type { EchoedTool } from "../../contract/tools.ts";
import type { CatalogModel } from "../models/catalog.ts";
import type { ContinuedResponse } from "./response.ts";

/** The tokens of a prompt by the characters of its history: `base + perCharacter × characters`. */
export interface PromptTokens {
  readonly base: number;
  readonly perCharacter: number;
  /** Tokens that the model takes beside its output. */
  readonly limit: number;
}

/** The new part of a prompt, and its limits. */
export interface PromptFrame {
  readonly model: CatalogModel;
  readonly maxOutputTokens: number;
  /** Characters of the instructions and the new input. */
  readonly sentSize: number;
}

/** Texts denser than that are not assumed: no script has more tokens a character. */
const DENSITY_MAX = 16;

/** Whether a prompt with so many characters of history leaves that many tokens free. */
export function fitsTokens({ base, perCharacter, limit }: PromptTokens, characters: number, free = 0): boolean {
  return base + perCharacter * characters <= limit - free;
}

/**
 * The count that starts from the usage which the provider reported for the round before, and so for the history that
 * this round was sent. Later items of the history are estimated at that round's tokens per character, the new input as
 * usual. Null without a report.
 */
export function tokensAfter(latest: ContinuedResponse | null, frame: PromptFrame): PromptTokens | null {
  const reported = latest?.usage.input_tokens ?? 0;
  if (latest === null || reported === 0 || latest.promptCharacters === null) return null;
  const { head, promptCharacters } = latest;
  const instructions = countCharacters(head.instructions ?? "");
  const density = reported / Math.max(1, estimateTokens(promptCharacters + toolCharacters(head.tools)));
  const perCharacter = Math.min(Math.max(density, 1), DENSITY_MAX) / CHARACTERS_PER_TOKEN;
  const covered = promptCharacters - instructions;
  const added = estimateTokens(Math.max(0, frame.sentSize - instructions));
  return { base: reported + added - perCharacter * covered, perCharacter, limit: limitOf(frame) };
}

/** How much denser a text is taken to be, by the rejections so far: the prompt is a little above the limit, or far. */
const DENSITIES_AFTER_REJECTION = [1.15, 1.5, 2.5] as const;

/** How often a prompt is sent again with fewer turns; the last time without any but its own. */
export const SHORTENINGS_MAX = DENSITIES_AFTER_REJECTION.length + 1;

/**
 * The count after the provider has rejected a prompt as too long, for the `rejections`th time: that many characters had
 * more tokens than the limit.
 */
export function tokensAfterRejection(
  frame: PromptFrame,
  rejected: { readonly characters: number; readonly tools: readonly EchoedTool[]; readonly rejections: number },
): PromptTokens {
  const limit = limitOf(frame);
  const factor = DENSITIES_AFTER_REJECTION[rejected.rejections - 1];
  if (factor === undefined) return { base: Infinity, perCharacter: 0, limit };
  const tools = toolCharacters(rejected.tools);
  const perCharacter = (factor * limit) / Math.max(1, rejected.characters + tools);
  return { base: perCharacter * (frame.sentSize + tools), perCharacter, limit };
}

function limitOf({ model, maxOutputTokens }: PromptFrame): number {
  return model.contextWindow - maxOutputTokens;
}

function toolCharacters(tools: readonly EchoedTool[]): number {
  return tools.length === 0 ? 0 : countCharacters(JSON.stringify(tools));
}
