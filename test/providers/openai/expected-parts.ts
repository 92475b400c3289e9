// Builds the expected parts of the corpus.
import type { FoldedParts } from "../../support/provider-samples.ts";
import type { UpstreamErrorCode } from "../../../src/providers/wire/error-codes.ts";

export const usage = (input: number, output: number, reasoning = 0, cached = 0) => ({
  input,
  output,
  cached,
  reasoning,
});
export const call = (callId: string, name: string, callArguments: string, isFinished = true) => ({
  callId,
  name,
  arguments: callArguments,
  isFinished,
});

// The state that a round with calls leaves.
export const state = (...items: readonly object[]) => ({ model: "gpt", items });
export const sentCall = (callId: string, name: string, callArguments: string) => ({
  type: "function_call",
  call_id: callId,
  name,
  arguments: callArguments,
});
export const said = (text: string, more: object = {}) => ({
  type: "message",
  role: "assistant",
  content: text,
  ...more,
});
export const thought = (id: string, summary: readonly string[], more: object) => ({
  type: "reasoning",
  id,
  summary: summary.map((text) => ({ type: "summary_text", text })),
  ...more,
});

export const USAGE = usage(26, 7);
/** One message without a phase; it ended by itself. */
export const ended = { phases: [null], usage: USAGE, incompleteReason: null };
export const called = { ...ended, phases: [] };
export const cut = { ...ended, incompleteReason: "max_output_tokens" };

export const oneCall = (callId: string, callArguments = '{"a":1}') => ({
  ...called,
  calls: [call(callId, "add", callArguments)],
  state: state(sentCall(callId, "add", callArguments)),
});
export const twoCalls = (one: string, other: string) => ({
  calls: [call(one, "add", '{"a":1}'), call(other, "add", '{"b":2}')],
  state: state(sentCall(one, "add", '{"a":1}'), sentCall(other, "add", '{"b":2}')),
});

export type Row = readonly [name: string, folded: Partial<FoldedParts>, failure?: UpstreamErrorCode];
