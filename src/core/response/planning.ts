// The values that pass between the steps of planning a response.
import type { ResponseId } from "../../contract/ids.ts";
import type { UnansweredCalls } from "../../contract/requests.ts";
import type { CatalogModel } from "../models/catalog.ts";
import type { CallerModels } from "../models/policy.ts";
import type { CreateRequest, SentSettings, ToolFields } from "./request.ts";
import type { MintItemId, UserTurn } from "./user-turn.ts";
import type { Prompt } from "./prompt.ts";
import type {
  AmbiguousCall,
  ContinuedResponse,
  SettledCall,
  ResponseHead,
  WaitingCalls,
  WaitingCallsAction,
} from "./response.ts";
import type { FitInput } from "./window.ts";

/** The facts about a continued history that planning needs before any item is read. */
export interface ContinuedHistory {
  readonly size: number;
  readonly turns: number;
  /** The last response in it; null in a conversation without one. */
  readonly latest: ContinuedResponse | null;
  /** The head that a user turn carries settings from: of the named response, or of a conversation's last one. */
  readonly carried: ResponseHead | null;
  /** Other responses whose calls wait at the same place: concurrent responses. */
  readonly others: readonly WaitingCalls[];
  /** Of the calls that the input sends outputs for, those that take none any more. */
  readonly settledCalls: readonly SettledCall[];
  /** The call_ids of outputs that several calls wait for; the request does not say which one it answers. */
  readonly ambiguousCalls: readonly AmbiguousCall[];
  /** Of the call_ids that `listResent` lists for the input, those whose calls in the history all have outputs. */
  readonly answeredCallIds: ReadonlySet<string>;
  /** The item ids referenced by the input that the history holds. */
  readonly heldItemIds: ReadonlySet<string>;
}

/** The rules that planning obeys: those of the organization, and the API key's own. */
export interface PlanPolicy extends CallerModels {
  readonly toolCallsPerTurn: number | null;
  /** The treatment of a user turn while calls wait, when the request names none. */
  readonly unansweredCalls: UnansweredCalls;
}

export interface PlanInput {
  readonly request: CreateRequest;
  /** Null on a first response without a conversation. */
  readonly history: ContinuedHistory | null;
  readonly policy: PlanPolicy;
}

/** What a plan begins with, whichever of its model's targets runs it. */
export interface OpenedPlan extends PlanInput {
  readonly model: CatalogModel;
  /** The checked input of a user turn; null when the input is tool outputs. */
  readonly userTurn: UserTurn | null;
  /** The response's effect on waiting calls; null: a user turn that meets none. */
  readonly calls: WaitingCallsAction | null;
  readonly tools: ToolFields;
  readonly requestedMaxOutputTokens: number | null;
}

/** The latest response of the turn that tool outputs continue; null: a user turn. */
export function continuedOf({ userTurn, history }: OpenedPlan): ContinuedResponse | null {
  return userTurn === null ? (history?.latest ?? null) : null;
}

/** The part of a plan that is known before the history is read, and how much of the history to read. */
export interface PlanDraft extends OpenedPlan {
  readonly settings: SentSettings;
  readonly maxOutputTokens: number | null;
  readonly includesEncryptedContent: boolean;
  readonly fit: FitInput;
  /** Characters of history to read, from its end; 0: nothing to read. */
  readonly sizeMax: number;
  /** Whether the whole history fits. */
  readonly wholeFits: boolean;
}

/** The inputs of a plan from outside: identity, time, hashes and the provider's rules. */
export interface PlanServices {
  readonly id: ResponseId;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly endUserHash: (endUser: string) => string;
  /** The part of a model's reasoning settings that applies to a prompt, by its provider. */
  readonly reasoningOf: (model: CatalogModel, prompt: Prompt) => ResponseHead["reasoning"];
  readonly mint: MintItemId;
}
