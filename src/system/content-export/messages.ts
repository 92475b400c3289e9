// What a response said, as the GenAI conventions write it: `gen_ai.system_instructions`, `gen_ai.input.messages` and
// `gen_ai.output.messages`, within a number of bytes. Opaque and encrypted states of models are left out.
import type { OutputItem } from "../../contract/items.ts";
import type { PromptItem } from "../../core/response/prompt.ts";
import type { SpokenResponse } from "../../ports/content-export.ts";
import { createTextBudget, type TextBudget } from "./text-budget.ts";

type Part =
  | { readonly type: "text" | "reasoning" | "refusal"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "tool_call_response"; readonly id: string; readonly response: string };

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
}

export interface SpokenMessages {
  /** Null without instructions. */
  readonly instructions: readonly Part[] | null;
  /** Oldest first. */
  readonly input: readonly Message[];
  /** One, as there is one candidate. */
  readonly output: readonly (Message & { readonly finish_reason: string })[];
  /** Entries of the history that were left out, the oldest ones. */
  readonly omitted: number;
  /** Whether anything was cut or left out. */
  readonly isCut: boolean;
}

/**
 * The messages of a response in at most `bytesMax` bytes of text: up to half for the output, a quarter for the
 * instructions, and the rest for the newest part of the history.
 */
export function writeMessages(
  { prompt, output }: SpokenResponse,
  finishReason: string,
  bytesMax: number,
): SpokenMessages {
  const forOutput = createTextBudget(Math.floor(bytesMax / 2));
  const forInstructions = createTextBudget(Math.floor(bytesMax / 4));
  const parts = writeOutput(output, forOutput);
  const instructions = prompt.instructions === null ? null : forInstructions.take(prompt.instructions);
  const forInput = createTextBudget(bytesMax - forOutput.spent() - forInstructions.spent());
  const { messages, omitted } = writeInput(prompt.items, forInput);
  return {
    instructions: instructions === null ? null : [{ type: "text", content: instructions }],
    input: messages,
    output: [{ role: "assistant", parts, finish_reason: finishReason }],
    omitted,
    isCut: [forOutput, forInstructions, forInput].some((budget) => budget.isOverdrawn()),
  };
}

/** From the newest entry backwards, until the budget is spent. */
function writeInput(items: readonly PromptItem[], budget: TextBudget) {
  const newestFirst: Message[] = [];
  let omitted = 0;
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (item === undefined || item.type === "state") continue;
    const message = writeItem(item, budget);
    if (message === null) {
      omitted = at + 1;
      break;
    }
    newestFirst.push(message);
  }
  return { messages: newestFirst.reverse(), omitted };
}

/** An entry as a message; null when the budget is spent. */
function writeItem(item: Exclude<PromptItem, { type: "state" }>, budget: TextBudget): Message | null {
  const write = (role: Message["role"], text: string, partOf: (text: string) => Part): Message | null => {
    const taken = budget.take(text);
    return taken === null ? null : { role, parts: [partOf(taken)] };
  };
  switch (item.type) {
    case "message":
      return write(item.role === "user" ? "user" : "system", item.text, (content) => ({ type: "text", content }));
    case "assistant":
      return write("assistant", item.text, (content) => ({ type: item.isRefusal ? "refusal" : "text", content }));
    case "call":
      return write("assistant", item.arguments, (taken) => callOf(item.callId, item.name ?? "", taken));
    case "result":
      return write("tool", item.output, (response) => ({ type: "tool_call_response", id: item.callId, response }));
    default:
      return item satisfies never;
  }
}

function writeOutput(output: readonly OutputItem[], budget: TextBudget): readonly Part[] {
  const parts: Part[] = [];
  for (const { text, partOf } of output.values().flatMap(partsOf)) {
    const taken = budget.take(text);
    if (taken === null) break;
    parts.push(partOf(taken));
  }
  return parts;
}

/** The parts of an output item, before their texts are cut. */
function partsOf(item: OutputItem): { readonly text: string; readonly partOf: (taken: string) => Part }[] {
  switch (item.type) {
    case "message":
      return item.content.map((part) =>
        part.type === "refusal"
          ? { text: part.refusal, partOf: (content) => ({ type: "refusal", content }) }
          : { text: part.text, partOf: (content) => ({ type: "text", content }) },
      );
    case "reasoning":
      return [...item.summary, ...(item.content ?? [])].map(({ text }) => ({
        text,
        partOf: (content) => ({ type: "reasoning", content }),
      }));
    case "function_call":
      return [{ text: item.arguments, partOf: (taken) => callOf(item.call_id, item.name, taken) }];
    default:
      return item satisfies never;
  }
}

/** The arguments stay a text: they may be cut, or no JSON at all. */
function callOf(id: string, name: string, taken: string): Part {
  return { type: "tool_call", id, name, arguments: taken };
}
