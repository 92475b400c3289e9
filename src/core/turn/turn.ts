// A turn as a value: what is fixed when it begins, what is known when it ends, what a later one continues. @spec resources/response-object
import type { FailureCode } from "../../contract/failures.ts";
import type { ConversationId, ResponseId } from "../../contract/ids.ts";
import type { FunctionCall, OutputItem } from "../../contract/items.ts";
import type { FailureDetail, Metadata, ResponseObject, Usage, Warning } from "../../contract/resources.ts";
import type { TextReport, Truncation } from "../../contract/settings.ts";
import type { RunningStatus, TerminalStatus } from "../../contract/statuses.ts";
import type { EchoedTool, EchoedToolChoice } from "../../contract/tools.ts";

/** Fixed when a turn begins: everything its response object echoes, and what its later rounds inherit. */
export interface TurnHead {
  readonly id: ResponseId;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Catalog id of the model that runs, `<provider>/<model>`. */
  readonly model: string;
  /** The response that this turn continued; the same in every round of the turn. */
  readonly previousResponseId: ResponseId | null;
  /** Set only when the request named a conversation. */
  readonly conversationId: ConversationId | null;
  /** The first response of the turn: this one, or for a tool answer the one that opened its turn. */
  readonly turnId: ResponseId;
  readonly instructions: string | null;
  /** Effective limit, never above the model's maximum; null when no turn sent one. */
  readonly maxOutputTokens: number | null;
  /** As requested; carried to a later turn that omits it. */
  readonly requestedMaxOutputTokens: number | null;
  readonly maxToolCalls: number | null;
  readonly metadata: Metadata | null;
  readonly parallelToolCalls: boolean;
  readonly temperature: number;
  readonly topP: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  readonly reasoning: ResponseObject["reasoning"];
  readonly safetyIdentifier: string | null;
  readonly text: TextReport;
  readonly toolChoice: EchoedToolChoice;
  readonly tools: readonly EchoedTool[];
  readonly truncation: Truncation;
  /** Whether the request asked for `reasoning.encrypted_content`. */
  readonly includesEncryptedContent: boolean;
  /** What the turn's earlier rounds used; zeros in a first round. */
  readonly usageBefore: Usage;
  readonly warnings: readonly Warning[];
}

/** Known when a turn ends. */
export interface TurnEnd {
  readonly status: TerminalStatus;
  /** Unix seconds, never before the head's createdAt. */
  readonly completedAt: number;
  /** Finished and cut-short items, in output order. */
  readonly output: readonly OutputItem[];
  /** Of this round alone. */
  readonly usage: Usage;
  readonly error: { readonly code: FailureCode; readonly message: string } | null;
  readonly incompleteReason: string | null;
  readonly toolCallsDropped: number;
  /** Warnings that arose while it ran. */
  readonly warnings: readonly Warning[];
  readonly failure: FailureDetail | null;
  /**
   * What the provider needs replayed verbatim inside this turn's tool rounds (signatures, encrypted reasoning); opaque JSON,
   * never a client's. Null when the provider gave none.
   */
  readonly providerState: unknown;
}

/** A stored turn as a reader finds it now. */
export type Turn =
  | { readonly head: TurnHead; readonly status: RunningStatus; readonly end: null }
  | { readonly head: TurnHead; readonly status: TerminalStatus; readonly end: TurnEnd };

/** The response at the end of a continued history. */
export interface ContinuedTurn {
  readonly head: TurnHead;
  readonly status: Turn["status"];
  /** Of that round alone; zeros while it runs. */
  readonly usage: Usage;
  /** Its function calls that have no output in the view, in output order. */
  readonly waitingCalls: readonly FunctionCall[];
  /**
   * Opaque states of the rounds of its turn, oldest first, each with the response it belongs to. Empty when no call waits: only a
   * tool answer goes on with the turn.
   */
  readonly states: readonly RoundState[];
}

/** What a round's provider needs replayed in the later rounds of its turn, by the same model. */
export interface RoundState {
  readonly responseId: ResponseId;
  readonly model: string;
  readonly state: unknown;
}
