// Translates between the oracle and the wires of clients and providers.
import type { PromptItem } from "../../src/core/response/prompt.ts";
import type { ProviderPart } from "../../src/ports/provider.ts";
import { type Reply, type Loose, readFrames } from "../support/http-client.ts";
import { type Act, FINISHED, fails } from "../support/scripted-provider.ts";
import { type Said, type Sent, type StoredResponse } from "./history-model.ts";
import { lineOf } from "./history-prompt.ts";
import type { Play, Step } from "./history-programs.ts";

/** The script of a provider for the steps from an index on, and its ending. */
export function actsOf(steps: readonly Step[], from: number, ending: Play["ending"]): Act[] {
  const parts = partsOf(steps, from);
  const acts: Act[] = parts.length === 0 ? [] : [parts];
  if (ending === "finished") return [...acts, FINISHED];
  if (ending === "incomplete") return [...acts, [{ type: "finished", incompleteReason: "max_output_tokens" }]];
  return [...acts, fails(ending)];
}

export function statusOf(ending: Play["ending"]): StoredResponse["status"] {
  return ending === "finished" ? "completed" : ending === "incomplete" ? "incomplete" : "failed";
}

/** The response of a reply, streamed or not. */
export function responseOf({ json, text }: Reply): Loose {
  return json ?? readFrames(text).events.at(-1)?.data.response;
}

function isCut(said: Said): boolean {
  return "isCut" in said && said.isCut;
}

/** An item of a reply as one line. */
export function listed(said: Said): string {
  return `${lineOf(said)}${isCut(said) ? " (incomplete)" : ""}`;
}

/** An item of a response as one line. */
export function lineOfWire(item: Loose): string {
  const incomplete = item.status === "incomplete" ? " (incomplete)" : "";
  switch (item.type) {
    case "function_call":
      return `call ${item.call_id}${incomplete}`;
    case "function_call_output":
      return `result ${item.call_id}: ${item.output}`;
    case "reasoning":
      return "reasoning";
    default: {
      const text = item.content.map((part: Loose) => part.text ?? "").join("");
      const refusal = item.content.some(({ type }: Loose) => type === "refusal") ? " (refusal)" : "";
      return `${item.role}: ${text}${refusal}${incomplete}`;
    }
  }
}

export function toWire(sent: Sent): object {
  switch (sent.kind) {
    case "call":
      return {
        type: "function_call",
        call_id: sent.callId,
        name: sent.isCarried ? "carried" : "look_up",
        arguments: "{}",
      };
    case "result":
      return { type: "function_call_output", call_id: sent.callId, output: sent.text };
    case "reasoning":
      return { type: "reasoning", summary: [] };
    case "reference":
      return { type: "item_reference", id: sent.id };
    default:
      return { role: sent.kind, content: sent.text };
  }
}

/**
 * The reason why a prompt is invalid for every provider; null: it is valid. A call_id may be reused once its call has
 * its result.
 */
export function faultOf(items: readonly PromptItem[]): string | null {
  let open: string[] = [];
  let isBehindResult = false;
  for (const item of items) {
    if (item.type === "call") {
      const { callId } = item;
      if (isBehindResult && open.length > 0) return `a call before the result of ${open[0]}`;
      if (open.includes(callId)) return `${callId} twice`;
      open.push(callId);
      isBehindResult = false;
    } else if (item.type === "result") {
      const { callId } = item;
      if (!open.includes(callId)) return `a result of ${callId} without its call`;
      open = open.filter((each) => each !== callId);
      isBehindResult = true;
    } else if (open.length > 0) return `${open[0]} has no result`;
  }
  return open.length > 0 ? `${open[0]} has no result` : null;
}

/** A prompt, one line for each item. */
export function linesOf(items: readonly PromptItem[]): string[] {
  return items.map((item) => {
    if (item.type === "call") return `call ${item.callId}${item.name === null ? " (carried)" : ""}`;
    if (item.type === "result") return `result ${item.callId}: ${item.output}`;
    if (item.type === "assistant") return `assistant: ${item.text}${item.isRefusal ? " (refusal)" : ""}`;
    return item.type === "message" ? `${item.role}: ${item.text}` : item.type;
  });
}

/** The parts that a provider sends for some steps. `from`: how many steps came before. */
export function partsOf(steps: readonly Step[], from: number): ProviderPart[] {
  return steps.flatMap((step, place): ProviderPart[] => {
    const index = from + place;
    switch (step.do) {
      case "text":
        return [{ type: "text", text: step.text }];
      case "refusal":
        return [{ type: "refusal", text: "" }];
      case "reasoning":
        return [{ type: "reasoning", summary: [], encryptedContent: null }];
      default: {
        const { callId } = step;
        const started: ProviderPart[] = [
          { type: "call_started", index, callId, name: "look_up" },
          { type: "call_arguments", index, delta: "{}" },
        ];
        return step.do === "call" ? [...started, { type: "call_finished", index }] : started;
      }
    }
  });
}
