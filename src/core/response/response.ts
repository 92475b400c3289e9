// A response as a value: fixed when it begins, known when it ends, continued by a later one.
// @spec resources/response-object
import type { FailureCode } from "../../contract/failures.ts";
import type { ConversationId, ResponseId } from "../../contract/ids.ts";
import type { FunctionCall, OutputItem, UnreadableItem } from "../../contract/items.ts";
import type {
  FailedAttempt,
  FailureDetail,
  Metadata,
  ResponseObject,
  Usage,
  Warning,
} from "../../contract/resources.ts";
import type { TextReport, Truncation } from "../../contract/settings.ts";
import type { RunningStatus, TerminalStatus } from "../../contract/statuses.ts";
import type { EchoedTool, EchoedToolChoice } from "../../contract/tools.ts";

/** Fixed when a response begins: everything its response object echoes, and what its later rounds inherit. */
export interface ResponseHead {
  readonly id: ResponseId;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Catalog id of the model, `<provider>/<model>`. */
  readonly model: string;
  /** The response that its turn continued; the same in every round of the turn. */
  readonly previousResponseId: ResponseId | null;
  /** Set only when the request named a conversation. */
  readonly conversationId: ConversationId | null;
  /** The first response of the turn: this one, or with tool outputs the one that opened the turn. */
  readonly turnId: ResponseId;
  /** The first response of the history that its turn continued, as far as it is known; absent when it continued none. */
  readonly firstResponseId?: ResponseId;
  readonly instructions: string | null;
  /** Effective limit, never above the model's maximum; null when no response sent one. */
  readonly maxOutputTokens: number | null;
  /** As requested; inherited by a later response that omits it. */
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
  /** Characters of the prompt, as the fit check counts them; absent in responses from before it was stored. */
  readonly promptCharacters?: number;
  /** Tool calls that the turn's earlier rounds made; absent when there are none. */
  readonly callsBefore?: number;
  /** Usage of the turn's earlier rounds; zeros in a first round. */
  readonly usageBefore: Usage;
  readonly warnings: readonly Warning[];
}

/** Known when a response ends. */
export interface ResponseEnd {
  readonly status: TerminalStatus;
  /** Unix seconds, never before the head's createdAt. */
  readonly completedAt: number;
  /** Finished and cut-short items, in output order. */
  readonly output: readonly OutputItem[];
  /** Output items that are stored but cannot be read; absent when there are none. */
  readonly unreadable?: readonly UnreadableItem[];
  /** Of this round alone. */
  readonly usage: Usage;
  readonly error: { readonly code: FailureCode; readonly message: string } | null;
  readonly incompleteReason: string | null;
  readonly toolCallsDropped: number;
  /** Warnings that arose while it ran. */
  readonly warnings: readonly Warning[];
  readonly failure: FailureDetail | null;
  /**
   * Data that the provider needs back verbatim in the later rounds of this turn (signatures, encrypted reasoning).
   * Opaque JSON, never from a client. Null when the provider gave none.
   */
  readonly providerState: unknown;
  /** Characters of the prompt that the provider took, where it rejected the head's as too long. */
  readonly promptCharacters?: number;
  /** Where it ran; absent: its model has no targets, or it ended before one was asked. */
  readonly ranAt?: TargetRun;
}

/** How a response ran at the targets of its model. */
export interface TargetRun {
  /** The target that ran it, or that was asked last. */
  readonly target: string;
  /** When its call began, milliseconds from the turn's begin; absent: stored before that was recorded. */
  readonly startedMs?: number;
  /** What failed before, in order. */
  readonly attempts: readonly FailedAttempt[];
  /** That was requested of the target. */
  readonly reasoning: ResponseObject["reasoning"];
}

/** A stored response in its current state. */
export type StoredResponse =
  | { readonly head: ResponseHead; readonly status: RunningStatus; readonly end: null }
  | { readonly head: ResponseHead; readonly status: TerminalStatus; readonly end: ResponseEnd };

/** The response at the end of a continued history. */
export interface ContinuedResponse {
  readonly head: ResponseHead;
  readonly status: StoredResponse["status"];
  /** Whether its items are in the history: not while it runs, when it failed, or when only its node could add them. */
  readonly hasEntered: boolean;
  /** Of that round alone; zeros while it runs. */
  readonly usage: Usage;
  /** Characters of the prompt that its provider took; null: not known. */
  readonly promptCharacters: number | null;
  /** Its function calls without an output in the view, in output order; empty once they are closed. */
  readonly waitingCalls: readonly FunctionCall[];
  /** The running response that answers them; null: none. */
  readonly answeredBy: ResponseId | null;
  /** The first response of its turn that the view has: the turn's first, unless that was deleted. */
  readonly firstRound: ResponseId;
  /**
   * Whether a user turn has to wait for their outputs: not when the response was cut short or their outputs were
   * deleted.
   */
  readonly requiresOutputs: boolean;
  /**
   * Opaque states of the turn's rounds, oldest first, each with its response. Empty when no call waits: only tool
   * outputs continue a turn.
   */
  readonly states: readonly RoundState[];
  /** Characters of their JSON. */
  readonly statesSize: number;
  /** Number of further states that are stored but cannot be read: the response continues without them. */
  readonly unreadableStates: number;
}

/** Data that a round's provider needs back in the later rounds of the turn, with the same model. */
export interface RoundState {
  readonly responseId: ResponseId;
  readonly model: string;
  readonly state: unknown;
}

/** Function calls of a response that wait for their outputs, or are being answered. */
export interface WaitingCalls {
  readonly madeBy: ResponseId;
  readonly turnId: ResponseId;
  /** The first response of its turn that the history has. */
  readonly firstRound: ResponseId;
  readonly calls: readonly Pick<FunctionCall, "id" | "call_id">[];
  /** The running response that answers them; null: none. */
  readonly answeredBy: ResponseId | null;
  readonly requiresOutputs: boolean;
}

/** A function call that takes no output any more: it has one, or (`closedBy`) a user turn went on without it. */
export interface SettledCall {
  readonly callId: string;
  readonly isAnswered: boolean;
  readonly closedBy: ResponseId | null;
}

/** A call_id that several responses wait for. */
export interface AmbiguousCall {
  readonly callId: string;
  readonly madeBy: readonly ResponseId[];
}

/**
 * What a response does about waiting calls: it answers those of responses, the first of which it continues, or drops
 * all of them, which closes them.
 */
export type WaitingCallsAction =
  | { readonly kind: "answer"; readonly of: readonly AnsweredCalls[] }
  | { readonly kind: "drop" };

/** Calls of a response that a later one answers. */
export interface AnsweredCalls {
  readonly madeBy: ResponseId;
  readonly callIds: readonly string[];
}
