// Prompts, models and clocks for the tests of the providers.
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import type { Prompt, PromptItem } from "../../src/core/response/prompt.ts";
import type { EchoedTool } from "../../src/contract/tools.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { ProviderPart } from "../../src/ports/provider.ts";
import type { HttpHead } from "../../src/providers/wire/exchange.ts";
import { modelOf } from "./responses.ts";

/** A model on a local server. */
export function sampleModel(changes: Partial<CatalogModel> = {}): CatalogModel {
  return modelOf({
    id: "local/llama",
    provider: "local",
    upstreamModel: "llama3.3:70b",
    settings: new Set(),
    ownedBy: "me",
    created: 0,
    ...changes,
  });
}

/** The head of a response with status 200 and without headers. */
export function sampleHead(changes: Partial<HttpHead> = {}): HttpHead {
  const head = { provider: "local", status: 200, headers: {}, requestId: "req_1" };
  return { ...head, receivedMs: 0, hasRun: false, secrets: [], ...changes };
}

/** A prompt with only the given fields set; a text means one user message. */
export function samplePrompt(input: string | readonly PromptItem[], changes: Partial<Prompt> = {}): Prompt {
  return {
    instructions: null,
    items: typeof input === "string" ? [userMessage(input)] : input,
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: null,
    temperature: null,
    topP: null,
    presencePenalty: null,
    frequencyPenalty: null,
    format: null,
    verbosity: null,
    maxOutputTokens: 2_000,
    otherCallIds: [],
    maxOutputTokensSet: false,
    endUserHash: null,
    ...changes,
  };
}

export function userMessage(text: string): PromptItem {
  return { type: "message", role: "user", text };
}

export function sampleTool(name: string, parameters: EchoedTool["parameters"] = null): EchoedTool {
  return { type: "function", name, description: null, parameters, strict: null };
}

/** A clock that stands still; `advance` moves it and fires due timers in order. */
export function createManualClock(): Clock & { advance(milliseconds: number): void; readonly pending: number } {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    nowMs: () => now,
    monotonicMs: () => now,
    after(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(milliseconds) {
      now += milliseconds;
      const due = timers.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
      timers = timers.filter(({ at }) => at > now);
      for (const { callback } of due) callback();
    },
    get pending() {
      return timers.length;
    },
  };
}

/** Parts folded together, for comparisons that ignore deltas. */
export interface FoldedParts {
  text: string;
  refusal: string | null;
  reasoning: string[];
  calls: { callId: string; name: string; arguments: string; isFinished: boolean }[];
  annotations: number;
  /** The phase of each message that a provider announced. */
  phases: (string | null)[];
  usage: { input: number; output: number; cached: number; reasoning: number } | null;
  state: unknown;
  warnings: string[];
  /** Undefined until the model has ended. */
  incompleteReason: string | null | undefined;
}

/** The result of folding no parts. */
export function noParts(): FoldedParts {
  return {
    text: "",
    refusal: null,
    reasoning: [],
    calls: [],
    annotations: 0,
    phases: [],
    usage: null,
    state: null,
    warnings: [],
    incompleteReason: undefined,
  };
}

/** Folds parts; throws when their order is broken. */
export function foldParts(parts: readonly ProviderPart[]): FoldedParts {
  const folded = noParts();
  const calls = new Map<number, FoldedParts["calls"][number]>();
  const callAt = (index: number) => {
    const call = calls.get(index);
    if (call === undefined || call.isFinished) throw new Error(`no call ${index} is open`);
    return call;
  };
  for (const part of parts) {
    if (folded.incompleteReason !== undefined) throw new Error(`${part.type} after the end`);
    switch (part.type) {
      case "message_started":
        folded.phases.push(part.phase);
        break;
      case "text":
        if (part.text === "") throw new Error("an empty delta");
        folded.text += part.text;
        break;
      case "refusal":
        folded.refusal = (folded.refusal ?? "") + part.text;
        break;
      case "annotation":
        folded.annotations++;
        break;
      case "reasoning":
        folded.reasoning.push(part.summary.join("\n"));
        break;
      case "call_started": {
        if (calls.has(part.index)) throw new Error(`call ${part.index} begins twice`);
        const call = { callId: part.callId, name: part.name, arguments: "", isFinished: false };
        calls.set(part.index, call);
        folded.calls.push(call);
        break;
      }
      case "call_arguments":
        if (part.delta === "") throw new Error("an empty delta");
        callAt(part.index).arguments += part.delta;
        break;
      case "call_finished":
        callAt(part.index).isFinished = true;
        break;
      case "usage":
        folded.usage = {
          input: part.usage.input_tokens,
          output: part.usage.output_tokens,
          cached: part.usage.input_tokens_details.cached_tokens,
          reasoning: part.usage.output_tokens_details.reasoning_tokens,
        };
        break;
      case "state":
        folded.state = part.state;
        break;
      case "kept":
        break;
      case "warning":
        folded.warnings.push(part.code);
        break;
      case "finished":
        folded.incompleteReason = part.incompleteReason;
        break;
      default:
        part satisfies never;
    }
  }
  return folded;
}
