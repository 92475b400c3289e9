// What planning is asked and what its first half answers: the values that pass between the steps of a plan.
import type { ResponseId } from "../../contract/ids.ts";
import type { CatalogModel } from "../catalog.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { CreateRequest } from "../reading/create-body.ts";
import type { ToolFields } from "../reading/tool-fields.ts";
import type { MintItemId, UserTurn } from "./first-turn.ts";
import type { Prompt } from "./prompt.ts";
import type { ModelSettings } from "./settings.ts";
import type { ContinuedTurn, TurnHead } from "./turn.ts";
import type { WindowQuestion } from "./window.ts";

/** What of a continued history the first half of planning needs: its end. */
export interface ContinuedHistory {
  readonly size: number;
  readonly turns: number;
  /** The last response in it; null in a conversation without one. */
  readonly latest: ContinuedTurn | null;
  /** Which of the item ids that the input references the history holds. */
  readonly heldItemIds: ReadonlySet<string>;
}

export interface PlanPolicy {
  readonly allowModels: readonly string[] | null;
  readonly denyModels: readonly string[];
  readonly toolCallsPerTurn: number | null;
}

/** What planning knows before the history itself is read, and how much of that to read. */
export interface PlanDraft {
  readonly model: CatalogModel;
  readonly settings: ModelSettings;
  /** The checked input of a user turn; null for a tool answer. */
  readonly userTurn: UserTurn | null;
  readonly tools: ToolFields;
  readonly requestedMaxOutputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly includesEncryptedContent: boolean;
  readonly window: WindowQuestion;
  /** Characters of history to read, from its end; 0: nothing to read. */
  readonly sizeMax: number;
  readonly truncates: boolean;
}

export interface PlanQuestion {
  readonly request: CreateRequest;
  readonly draft: PlanDraft;
  readonly history: ContinuedHistory | null;
  /** The end of the history, oldest first, as much of it as the draft asked for. */
  readonly entries: readonly HistoryItem[];
  /** How many items of it could not be read: the model is not sent them. */
  readonly unreadable: number;
  readonly policy: PlanPolicy;
  readonly id: ResponseId;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly endUserHash: (endUser: string) => string;
  /** What of a model's reasoning applies to a prompt: its provider knows. */
  readonly reasoningOf: (model: CatalogModel, prompt: Prompt) => TurnHead["reasoning"];
  readonly mint: MintItemId;
}
