// Encodes a prompt as the body of a Messages request.
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import type { ProviderPart, ReportedReasoning, Unsupported } from "../../ports/provider.ts";
import { placeCachePoints } from "./cache-points.ts";
import { leaveOutRefusals } from "./earlier-refusals.ts";
import { createWireNames, type WireNames } from "../wire/wire-names.ts";
import { CARRIED_TOOL_NAME, toolNamesOf } from "../wire/tools.ts";
import { encodeMessages, isBlank, isReasoning } from "./messages.ts";
import { createCopying, type UnsupportedKeyword } from "./combine-objects.ts";
import { encodeSchema, findUnsupported } from "./schema.ts";
import { encodeThinking, reportThinking, takesThinking } from "./thinking.ts";
import { encodeTools, forcesCall, strictParameters } from "./tools.ts";
import { traitsOf } from "./model-traits.ts";
import type { WireEffort, WireMessage, WireOutputConfig, WireRequest } from "./wire.ts";

export interface Encoded {
  readonly request: WireRequest;
  /** Values of the header `anthropic-beta`. */
  readonly betas: readonly string[];
  /** Warnings for the client. */
  readonly warnings: readonly (ProviderPart & { readonly type: "warning" })[];
  /** Maps tool names to the wire and back. */
  readonly toolNames: WireNames;
}

/** Encodes one round. */
export function encode(model: CatalogModel, prompt: Prompt): Encoded {
  const traits = traitsOf(model.upstreamModel);
  const { items, leftOut } = leaveOutRefusals(prompt.items);
  const sent: Prompt = { ...prompt, items, tools: toolsFor(model, prompt) };
  const toolNames = createWireNames(toolNamesOf(sent).add(CARRIED_TOOL_NAME));
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
  const prefix = {
    ...(texts.length === 0 ? {} : { system: texts.join("\n\n") }),
    messages: takesThinking(model, traits, encodedThinking) ? messages : dropThinking(messages),
    ...tools,
  };
  return {
    request: {
      model: model.upstreamModel,
      max_tokens: maxTokens,
      stream: true,
      ...prefix,
      ...(model.cachesPrompts === false ? {} : placeCachePoints(prefix)),
      ...(thinking === undefined ? {} : { thinking }),
      ...(outputConfig === null ? {} : { output_config: outputConfig }),
      ...(prompt.endUserHash === null || !model.hasEndUserField ? {} : { metadata: { user_id: prompt.endUserHash } }),
    },
    betas,
    warnings: leftOut === 0 ? [] : [refusalsWarning(leftOut)],
    toolNames,
  };
}

/** The tools as the model's provider takes them. */
function toolsFor({ takesStrictTools }: CatalogModel, { tools }: Prompt): Prompt["tools"] {
  return takesStrictTools === false ? tools.map((tool) => ({ ...tool, strict: null })) : tools;
}

/** A schema that has no form on the wire. Tools that are not strict may have any. */
export function unsupportedOf(model: CatalogModel, prompt: Prompt): Unsupported | null {
  const { format } = prompt;
  const copying = createCopying();
  const own = format?.type === "json_schema" ? findUnsupported(format.schema, { copying }) : null;
  if (own !== null) return schemaError(model, "text", "text.format.schema", own);
  for (const [index, { strict, parameters }] of toolsFor(model, prompt).entries()) {
    const found = strict === true ? findUnsupported(strictParameters(parameters), { isOfTool: true, copying }) : null;
    if (found !== null) return schemaError(model, "tools", `tools[${index}].parameters`, found);
  }
  return null;
}

function schemaError(
  model: CatalogModel,
  param: Unsupported["param"],
  path: string,
  { keyword, kind }: UnsupportedKeyword,
): Unsupported {
  const [what, how] = UNSUPPORTED[kind];
  const otherwise =
    param === "tools"
      ? ", or leave out strict"
      : kind === "map"
        ? ", or use a list of objects with a key and a value"
        : "";
  return { param, message: `${path} has ${keyword}: the model ${model.id} supports no ${what}. ${how}${otherwise}.` };
}

const UNSUPPORTED: Readonly<Record<UnsupportedKeyword["kind"], readonly [what: string, how: string]>> = {
  map: ["objects with keys that are not named", "Name the keys in properties"],
  combination: ["objects of several schemas that cannot be merged into one", "Write each object as one schema"],
  size: ["schemas that are this large once their references and choices are merged", "Write shorter ones"],
};

/** The reasoning that a response reports for a prompt. */
export function reasoningOf(model: CatalogModel, prompt: Prompt): ReportedReasoning {
  const encoded = encodeThinking({
    model,
    traits: traitsOf(model.upstreamModel),
    isForced: forcesCall(prompt),
    // Called only for models with a budget: it encodes the whole history.
    hasUnthoughtCalls: () => hasUnthoughtCalls(encode(model, prompt).request.messages),
    maxTokens: prompt.maxOutputTokens,
  });
  return reportThinking(model, encoded);
}

/** Whether the newest results answer calls made without thinking: those of another model, or carried ones. */
function hasUnthoughtCalls(messages: readonly WireMessage[]): boolean {
  const newest = messages.findLast(({ role }) => role === "assistant");
  if (newest?.role !== "assistant" || !newest.content.some(({ type }) => type === "tool_use")) return false;
  const [first] = newest.content;
  return first === undefined || !isReasoning(first);
}

/** The messages without their thinking. None becomes empty: thinking always precedes calls. */
function dropThinking(messages: readonly WireMessage[]): readonly WireMessage[] {
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

function refusalsWarning(leftOut: number): Encoded["warnings"][number] {
  const exchanges =
    leftOut === 1 ? "One exchange that a model refused was" : `${leftOut} exchanges that a model refused were`;
  return {
    type: "warning",
    code: "declined_exchanges_not_sent",
    message: `${exchanges} not sent: the provider would refuse again.`,
    param: null,
  };
}
