// The tools of a prompt, for every family. @spec resources/tool
import type { EchoedTool } from "../../contract/tools.ts";
import type { Prompt } from "../../core/response/prompt.ts";

/**
 * Name sent for the tool of a carried call, whose own name is not sent (docs/interface.md, endpoints/post-responses).
 */
export const CARRIED_TOOL_NAME = "tool";

/** The tools for a wire without `allowed_tools`: only the allowed ones. */
export function offeredTools({ tools, toolChoice }: Prompt): readonly EchoedTool[] {
  if (typeof toolChoice === "string" || toolChoice.type === "function") return tools;
  const allowed = new Set(toolChoice.tools.map(({ name }) => name));
  return tools.filter(({ name }) => allowed.has(name));
}

/** The names of all tools that a prompt calls or offers. */
export function toolNamesOf({ items, tools }: Prompt): Set<string> {
  const names = new Set(tools.map(({ name }) => name));
  for (const item of items) if (item.type === "call") names.add(item.name ?? CARRIED_TOOL_NAME);
  return names;
}
