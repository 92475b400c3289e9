// Applies tool_choice: the tools that a simulated model may call, and the one that it must call. @spec resources/tool
import type { Prompt } from "../../core/response/prompt.ts";
import type { EchoedTool } from "../../contract/tools.ts";

/** Whether a call is allowed. A tool that was not offered may be called too, as real models sometimes do. */
export function createMayCall({ toolChoice }: Pick<Prompt, "toolChoice">): (name: string) => boolean {
  if (typeof toolChoice === "string") return () => toolChoice !== "none";
  if (toolChoice.type === "function") return (name) => toolChoice.name === name;
  const allowed = new Set(toolChoice.tools.map(({ name }) => name));
  return (name) => allowed.has(name);
}

/** The tool to call if the model would call none; null if the choice forces nothing. */
export function forcedTool({ toolChoice, tools }: Prompt): EchoedTool | null {
  if (typeof toolChoice === "string") return toolChoice === "required" ? (tools[0] ?? null) : null;
  if (toolChoice.type === "function") return tools.find((tool) => tool.name === toolChoice.name) ?? null;
  if (toolChoice.mode !== "required") return null;
  const mayCall = createMayCall({ toolChoice });
  return tools.find(({ name }) => mayCall(name)) ?? null;
}
