// What a tool_choice lets a simulated model call, and what it makes it call. @spec resources/tool-function
import type { Prompt } from "../../core/turn/prompt.ts";
import type { EchoedTool } from "../../contract/tools.ts";

/** Whether a call of that tool obeys the choice; a tool that was not offered may be called, as real models do at times. */
export function mayCall({ toolChoice }: Prompt, name: string): boolean {
  if (typeof toolChoice === "string") return toolChoice !== "none";
  if (toolChoice.type === "function") return toolChoice.name === name;
  return toolChoice.tools.some((tool) => tool.name === name);
}

/** The tool that must be called when the model would call none; null when the choice forces nothing. */
export function forcedTool({ toolChoice, tools }: Prompt): EchoedTool | null {
  if (typeof toolChoice === "string") return toolChoice === "required" ? (tools[0] ?? null) : null;
  if (toolChoice.type === "function") return tools.find((tool) => tool.name === toolChoice.name) ?? null;
  if (toolChoice.mode !== "required") return null;
  return tools.find((tool) => toolChoice.tools.some((allowed) => allowed.name === tool.name)) ?? null;
}
