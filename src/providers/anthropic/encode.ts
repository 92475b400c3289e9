// A prompt becomes the body of a Messages request.
import type { CatalogModel } from "../../core/catalog.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { ProviderPart, ReportedReasoning } from "../../ports/provider.ts";
import { leaveOutDeclined } from "./declined.ts";
import { createLabels, type Labels } from "../labels.ts";
import { CARRIED_TOOL_NAME, toolNamesOf } from "../tools.ts";
import { encodeMessages, isBlank, isReasoning } from "./messages.ts";
import { encodeSchema } from "./schema.ts";
import { encodeThinking, reportThinking, takesThoughts } from "./thinking.ts";
import { encodeTools, forcesCall } from "./tools.ts";
import { traitsOf } from "./model-traits.ts";
import type { WireEffort, WireMessage, WireOutputConfig, WireRequest } from "./wire.ts";

export interface Encoded {
  readonly request: WireRequest;
  /** Values of the header `anthropic-beta`. */
  readonly betas: readonly string[];
  /** What the client is told of this encoding. */
  readonly warnings: readonly (ProviderPart & { readonly type: "warning" })[];
  /** For the names of the tools that are called. */
  readonly toolNames: Labels;
}

/** Encodes one round. */
export function encode(model: CatalogModel, prompt: Prompt): Encoded {
  const traits = traitsOf(model.upstreamModel);
  const { items, leftOut } = leaveOutDeclined(prompt.items);
  const sent: Prompt = { ...prompt, items };
  const toolNames = createLabels(toolNamesOf(sent).add(CARRIED_TOOL_NAME));
  const { system, messages } = encodeMessages(items, { takesSystemMessages: traits.takesSystemMessages, toolNames });
  const hasInstructions = prompt.instructions !== null && !isBlank(prompt.instructions);
  const texts = hasInstructions ? [prompt.instructions, ...system] : system;
  const tools = encodeTools(sent, toolNames);
  const maxTokens = prompt.maxOutputTokens;
  const encodedThinking = encodeThinking({
    model,
    traits,
    isForced: forcesCall(prompt),
    hasUnthoughtCalls: () => hasUnthoughtCalls(messages),
    maxTokens,
  });
  const { thinking, effort, betas } = encodedThinking;
  const outputConfig = encodeOutputConfig(prompt, effort);
  const isGoingOn = tools.tools !== undefined || messages.some(({ role }) => role === "assistant");
  return {
    request: {
      model: model.upstreamModel,
      max_tokens: maxTokens,
      stream: true,
      ...(texts.length === 0 ? {} : { system: texts.join("\n\n") }),
      messages: takesThoughts(model, traits, encodedThinking) ? messages : leaveOutThoughts(messages),
      ...tools,
      ...(thinking === undefined ? {} : { thinking }),
      ...(outputConfig === null ? {} : { output_config: outputConfig }),
      // Writing the cache costs a quarter more and reading it a tenth: worth it where the prompt is likely to come again, longer.
      ...(isGoingOn ? { cache_control: { type: "ephemeral" } } : {}),
      ...(prompt.endUserHash === null || !model.hasEndUserField ? {} : { metadata: { user_id: prompt.endUserHash } }),
    },
    betas,
    warnings: leftOut === 0 ? [] : [declinedWarning(leftOut)],
    toolNames,
  };
}

/** What of a model's reasoning applies to a prompt. */
export function reasoningOf(model: CatalogModel, prompt: Prompt): ReportedReasoning {
  const encoded = encodeThinking({
    model,
    traits: traitsOf(model.upstreamModel),
    isForced: forcesCall(prompt),
    // Asked of models with a budget alone: encoding a history takes its time.
    hasUnthoughtCalls: () => hasUnthoughtCalls(encode(model, prompt).request.messages),
    maxTokens: prompt.maxOutputTokens,
  });
  return reportThinking(model, encoded);
}

/** Calls of another model, or carried ones, that the newest results answer. */
function hasUnthoughtCalls(messages: readonly WireMessage[]): boolean {
  const answer = messages.findLast(({ role }) => role === "assistant");
  if (answer?.role !== "assistant" || !answer.content.some(({ type }) => type === "tool_use")) return false;
  const [first] = answer.content;
  return first === undefined || !isReasoning(first);
}

/** Messages without what was thought. None is left empty: thoughts stand before the calls of a round alone. */
function leaveOutThoughts(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.map((message) =>
    message.role === "assistant"
      ? { ...message, content: message.content.filter((block) => !isReasoning(block)) }
      : message,
  );
}

function encodeOutputConfig({ format }: Prompt, effort: WireEffort | undefined): WireOutputConfig | null {
  const isConstrained = format !== null && format.type === "json_schema";
  if (!isConstrained && effort === undefined) return null;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(isConstrained
      ? { format: { type: "json_schema", schema: encodeSchema(format.schema, format.description) } }
      : {}),
  };
}

function declinedWarning(leftOut: number): Encoded["warnings"][number] {
  const exchanges =
    leftOut === 1 ? "An exchange that a model declined was" : `${leftOut} exchanges that a model declined were`;
  return {
    type: "warning",
    code: "declined_exchanges_not_sent",
    message: `${exchanges} left out of what was sent: the provider would decline again.`,
    param: null,
  };
}
