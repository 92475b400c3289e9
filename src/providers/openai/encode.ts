// Encodes a prompt as the body of a response. Settings that are not set are not sent.
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import type { Verbosity } from "../../contract/settings.ts";
import type { EchoedTool, EchoedToolChoice } from "../../contract/tools.ts";
import { encodeFormat, type NamedSchema } from "../wire/named-schema.ts";
import { createWireNames, type WireNames } from "../wire/wire-names.ts";
import { COMPOSITION_KEYWORDS, completeParameters, describeRootKeywords } from "../wire/tool-schema.ts";
import { effortOf } from "../wire/reasoning.ts";
import { toolNamesOf } from "../wire/tools.ts";
import { encodeItems, type WireItem } from "./items.ts";

/** The body of `POST /responses`. */
export interface WireRequest {
  model: string;
  input: readonly WireItem[];
  stream: true;
  /** The history is ours: OpenAI stores nothing. */
  store: false;
  include?: readonly ["reasoning.encrypted_content"];
  instructions?: string;
  tools?: readonly WireTool[];
  tool_choice?: WireToolChoice;
  parallel_tool_calls?: boolean;
  max_output_tokens?: number;
  text?: WireText;
  reasoning?: { readonly effort: string };
  safety_identifier?: string;
  prompt_cache_key?: string;
  prompt_cache_options?: { readonly mode: "explicit" };
}

interface WireTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: boolean;
}

type WireToolChoice =
  | "none"
  | "required"
  | { readonly type: "function"; readonly name: string }
  | {
      readonly type: "allowed_tools";
      readonly mode: "auto" | "required";
      readonly tools: readonly { readonly type: "function"; readonly name: string }[];
    };

interface WireText {
  readonly format?: NamedSchema & { readonly type: "json_schema" };
  readonly verbosity?: Verbosity;
}

/** Longest prompt_cache_key, characters. */
const CACHE_KEY_CHARACTERS_MAX = 64;

/** The models before GPT-5.6, which reject prompt_cache_options. They charge nothing for what they cache. A deployment's name tells none. */
const ALWAYS_CACHES = /^(?:gpt-[34]|gpt-5(?!\.[6-9])|o\d|codex)/;

/** The models that do not reason; they reject what is included of reasoning. */
const NEVER_REASONS = /^(?:.*\/)?(?:chat)?gpt-(?:[34]|5-chat)/;

/** What is known of the server of a model. */
export interface ServerTraits {
  /** The upstream name is a deployment's, which says nothing about its model. */
  readonly isDeployment?: boolean;
  /** It has rejected `include` for this model. */
  readonly rejectsInclude?: boolean;
}

export interface Encoded {
  readonly request: WireRequest;
  /** Maps the names of called tools back. */
  readonly toolNames: WireNames;
}

/** Encodes one round. */
export function encode(
  model: CatalogModel,
  prompt: Prompt,
  cacheKey: string,
  { isDeployment = false, rejectsInclude = false }: ServerTraits = {},
): Encoded {
  const toolNames = createWireNames(toolNamesOf(prompt));
  const request: WireRequest = {
    model: model.upstreamModel,
    input: encodeItems(prompt, { upstreamModel: model.upstreamModel, toolNames }),
    stream: true,
    store: false,
  };
  if (prompt.instructions !== null) request.instructions = prompt.instructions;
  addTools(request, prompt, toolNames);
  if (prompt.maxOutputTokensSet) request.max_output_tokens = prompt.maxOutputTokens;
  const text = encodeText(prompt);
  if (text !== null) request.text = text;
  const effort = effortOf(model);
  const mayReason = isDeployment || effort !== null || !NEVER_REASONS.test(model.upstreamModel);
  if (mayReason && !rejectsInclude) request.include = ["reasoning.encrypted_content"];
  if (effort !== null) request.reasoning = { effort };
  if (prompt.endUserHash !== null && model.hasEndUserField) request.safety_identifier = prompt.endUserHash;
  if (model.cachesPrompts !== false) {
    if (cacheKey !== "") request.prompt_cache_key = cacheKey.slice(0, CACHE_KEY_CHARACTERS_MAX);
  } else if (!isDeployment && !ALWAYS_CACHES.test(model.upstreamModel)) {
    // Without a breakpoint of its own, such a request uses no cache.
    request.prompt_cache_options = { mode: "explicit" };
  }
  return { request, toolNames };
}

function addTools(request: WireRequest, { tools, toolChoice, parallelToolCalls }: Prompt, toolNames: WireNames): void {
  // Without tools, tool_choice and parallel_tool_calls have no effect.
  if (tools.length === 0) return;
  request.tools = tools.map((tool) => encodeTool(tool, toolNames));
  const choice = encodeToolChoice(toolChoice, toolNames);
  if (choice !== null) request.tool_choice = choice;
  if (parallelToolCalls !== null) request.parallel_tool_calls = parallelToolCalls;
}

/** Keywords that the API rejects at the root of the schema of a function that is not strict. */
const REJECTED_ROOT_KEYWORDS: ReadonlySet<string> = new Set([...COMPOSITION_KEYWORDS, "enum", "const", "not"]);

function encodeTool({ name, description, parameters, strict }: EchoedTool, toolNames: WireNames): WireTool {
  // The API rejects a schema whose root is not an object or has no properties.
  const schema = completeParameters(parameters);
  return {
    type: "function",
    name: toolNames.toWire(name),
    ...(description === null ? {} : { description }),
    parameters: strict === true ? schema : describeRootKeywords(schema, REJECTED_ROOT_KEYWORDS),
    // The default is true there and false in our interface; a schema that is not strict would be rejected.
    strict: strict ?? false,
  };
}

/** Null for `auto`, the default when tools are sent. */
function encodeToolChoice(choice: EchoedToolChoice, toolNames: WireNames): WireToolChoice | null {
  if (typeof choice === "string") return choice === "auto" ? null : choice;
  if (choice.type === "function") return { type: "function", name: toolNames.toWire(choice.name) };
  const tools = choice.tools.map(({ name }) => ({ type: "function", name: toolNames.toWire(name) }) as const);
  return { type: "allowed_tools", mode: choice.mode, tools };
}

/** Null if nothing in `text` is set. */
function encodeText({ format, verbosity }: Prompt): WireText | null {
  const schema = encodeFormat(format);
  if (schema === null && verbosity === null) return null;
  return {
    ...(schema === null ? {} : { format: { type: "json_schema", ...schema } }),
    ...(verbosity === null ? {} : { verbosity }),
  };
}
