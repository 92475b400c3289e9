// Prints what a simulated model receives, for tests and for people who want to see it.
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";

/** One numbered line per item, oldest first, after the instructions. Line breaks within a text are printed as `\n`. */
export function dumpHistory({ instructions, items }: Prompt): string {
  const lines = items.map((item, index) => `${index + 1}. ${dumpItem(item)}`);
  if (instructions !== null) lines.unshift(`instructions: ${onOneLine(instructions)}`);
  return lines.join("\n");
}

function dumpItem(item: PromptItem): string {
  switch (item.type) {
    case "message":
      return `${item.role}: ${onOneLine(item.text)}`;
    case "assistant":
      return `assistant${item.isRefusal ? " (refused)" : ""}: ${onOneLine(item.text)}`;
    case "call":
      return `call ${item.callId} ${item.name ?? "(carried)"}: ${onOneLine(item.arguments)}`;
    case "result":
      return `result ${item.callId}: ${onOneLine(item.output)}`;
    case "state":
      return `state: ${JSON.stringify(item.state)}`;
    default:
      return item satisfies never;
  }
}

function onOneLine(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

/** The settings of the prompt as JSON, under the names of the request; null if not set. */
export function dumpPrompt(modelId: string, prompt: Prompt): string {
  return JSON.stringify({
    model: modelId,
    instructions: prompt.instructions,
    tools: prompt.tools,
    tool_choice: prompt.toolChoice,
    parallel_tool_calls: prompt.parallelToolCalls,
    temperature: prompt.temperature,
    top_p: prompt.topP,
    presence_penalty: prompt.presencePenalty,
    frequency_penalty: prompt.frequencyPenalty,
    text: { format: prompt.format, verbosity: prompt.verbosity },
    max_output_tokens: prompt.maxOutputTokensSet ? prompt.maxOutputTokens : null,
    output_allowance: prompt.maxOutputTokens,
    end_user_hash: prompt.endUserHash,
    items: prompt.items.length,
  });
}
