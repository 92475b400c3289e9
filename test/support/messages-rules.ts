// The rules of the Messages API for requests, as documented or observed.
import { createHash } from "node:crypto";
import type { Loose } from "./http-client.ts";

/** An error in the API's form. */
export interface MessagesError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

const ALWAYS_THINKS = /^claude-(fable-5|mythos-5|opus-5-5|sonnet-5-5)/;
const THINKS_BY_DEFAULT = /^claude-(opus-5|sonnet-5|haiku-5-5)/;
const IS_BOUND = /^claude-(fable-5-[12]|mythos-5-[12]|opus-5-5|sonnet-5-5|haiku-5-5)/;
const TAKES_SYSTEM_MESSAGES = /^claude-(fable-5|mythos-5|opus-5|opus-4-8|sonnet-5-5|haiku-5-5)/;
const LABEL = /^[a-zA-Z0-9_-]{1,128}$/;
const BINDING_BETA = "thinking-binding-controls-2026-08-01";
const SCHEMA_KEYWORDS = new Set(
  "type title description properties required items minItems enum const format anyOf allOf $ref $defs definitions additionalProperties".split(
    " ",
  ),
);

/** The error of a request; null for a valid one. Lists the thinking blocks that the API drops. */
export function checkRequest(
  headers: Loose,
  body: Loose,
  key: string,
): { error: MessagesError | null; droppedThinking: string[] } {
  const droppedThinking: string[] = [];
  const invalid = (message: string): MessagesError => ({ status: 400, type: "invalid_request_error", message });
  const firstOf = (): MessagesError | null => {
    if (headers["x-api-key"] !== key) {
      return { status: 401, type: "authentication_error", message: "invalid x-api-key" };
    }
    if (headers["anthropic-version"] !== "2026-10-21") return invalid("anthropic-version: header is required");
    const message =
      checkBody(body) ?? checkMessages(body) ?? checkTools(body) ?? checkThinking(headers, body, droppedThinking);
    return message === null ? null : invalid(message);
  };
  return { error: firstOf(), droppedThinking };
}

/** The signature of thinking: bound to its model, its text, and everything before its message but cache points. */
export function signThought(body: Loose, messagesBefore: Loose, words: string): string {
  const prefix = JSON.stringify([body.model, body.system ?? null, body.tools ?? null, messagesBefore], (name, value) =>
    name === "cache_control" ? undefined : value,
  );
  const digest = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 16);
  return `${digest(prefix)}.${digest(words)}`;
}

const KEYS = "model max_tokens stream system messages tools tool_choice thinking output_config metadata".split(" ");

function checkBody(body: Loose): string | null {
  const unknown = Object.keys(body).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`;
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1) return "max_tokens: Field required";
  if (body.stream !== true) return "stream: only streams are expected here";
  const points = JSON.stringify([body.system, body.tools, body.messages]).split('"cache_control":').length - 1;
  if (points > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${points}.`;
  const format = body.output_config?.format;
  return format === undefined ? null : checkSchema(format.schema);
}

function checkSchema(schema: Loose): string | null {
  if (typeof schema !== "object" || schema === null) return null;
  if (Array.isArray(schema)) return schema.map(checkSchema).find((error) => error !== null) ?? null;
  const unknown = Object.keys(schema).find((keyword) => !SCHEMA_KEYWORDS.has(keyword));
  if (unknown !== undefined) return `output_config.format.schema: '${unknown}' is not supported`;
  if (schema.type === "object" && schema.additionalProperties !== false) {
    return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false";
  }
  if (schema.enum !== undefined && Array.isArray(schema.type)) {
    return `output_config.format.schema: Invalid schema: Enum value '${schema.enum[0]}' does not match declared type '${schema.type}'`;
  }
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.$defs ?? {}),
    schema.items,
    schema.anyOf,
    schema.allOf,
  ];
  return inner.map(checkSchema).find((error) => error !== null) ?? null;
}

function checkMessages({ messages, model }: Loose): string | null {
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0].role !== "user") return 'messages: first message must use the "user" role';
  for (const [at, message] of messages.entries()) {
    const [before, next] = [messages[at - 1], messages[at + 1]];
    if (message.role === "system") {
      if (!TAKES_SYSTEM_MESSAGES.test(model)) return `messages.${at}: role 'system' is not supported on this model`;
      if (before?.role !== "user") return `messages.${at}: role 'system' must follow a 'user' message`;
      if (next !== undefined && next.role !== "assistant") return `messages.${at}: 'system' must precede 'assistant'`;
      continue;
    }
    const error = checkContent(message, at, before, next);
    if (error !== null) return error;
  }
  return messages.at(-1).role === "assistant"
    ? "This model does not support assistant message prefill. The conversation must end with a user message."
    : null;
}

function checkContent({ role, content }: Loose, at: number, before: Loose, next: Loose): string | null {
  if (content.length === 0) return `messages.${at}: content must not be empty`;
  if (role === before?.role) return `messages.${at}: roles must alternate`;
  const usesBefore = new Set(
    blocksOf(before)
      .filter(isUse)
      .map(({ id }: Loose) => id),
  );
  let isBehindResults = false;
  for (const [index, block] of content.entries()) {
    const path = `messages.${at}.content.${index}`;
    if (block.type === "text") {
      isBehindResults = true;
      if (block.text.trim() === "") return `${path}: text content blocks must contain non-whitespace text`;
    } else if (block.type === "tool_result") {
      if (role !== "user" || isBehindResults) return `${path}: tool_result blocks must come first`;
      if (!usesBefore.delete(block.tool_use_id)) {
        return `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}`;
      }
      if (block.content?.trim() === "") return `${path}: text content blocks must contain non-whitespace text`;
    } else if (role !== "assistant") return `${path}: '${block.type}' is not allowed here`;
    else if (isUse(block)) {
      if (!LABEL.test(block.id)) return `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (!LABEL.test(block.name)) return `${path}.tool_use.name: String should match pattern`;
      if (typeof block.input !== "object" || Array.isArray(block.input)) {
        return `${path}.tool_use.input: Input should be a valid dictionary`;
      }
      if (next === undefined || next.role !== "user") return `${path}: \`tool_use\` without \`tool_result\``;
    }
  }
  if (content.at(-1).type.endsWith("thinking")) {
    return `messages.${at}: The final block in an assistant message cannot be \`thinking\``;
  }
  if (usesBefore.size > 0) return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks`;
  return null;
}

/** The blocks of a message; a system message has a text instead. */
function blocksOf(message: Loose): Loose[] {
  return Array.isArray(message?.content) ? message.content : [];
}

function isUse(block: Loose): boolean {
  return block.type === "tool_use";
}

function checkTools({ tools, tool_choice: choice, messages }: Loose): string | null {
  const hasToolBlocks = messages.some((message: Loose) => blocksOf(message).some(isUse));
  if (tools === undefined) {
    if (hasToolBlocks) return "Requests which include `tool_use` or `tool_result` blocks must define tools";
    return choice === undefined ? null : "tool_choice may only be specified while providing tools";
  }
  for (const [at, tool] of tools.entries()) {
    if (!LABEL.test(tool.name)) return `tools.${at}.custom.name: String should match pattern`;
    if (tool.input_schema?.type !== "object") return `tools.${at}.custom.input_schema.type: Field required`;
    if (["oneOf", "anyOf", "allOf"].some((keyword) => keyword in tool.input_schema)) {
      return `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    }
    const error = tool.strict === true ? checkSchema(tool.input_schema) : null;
    if (error !== null) return `tools.${at}.custom: ${error}`;
  }
  if (choice?.type === "tool" && !tools.some(({ name }: Loose) => name === choice.name)) {
    return `tool_choice: Tool '${choice.name}' not found in provided tools`;
  }
  return null;
}

function checkThinking(headers: Loose, body: Loose, droppedThinking: string[]): string | null {
  const { model, thinking } = body;
  const type = thinking?.type ?? (THINKS_BY_DEFAULT.test(model) ? "adaptive" : "disabled");
  const isForced = ["any", "tool"].includes(body.tool_choice?.type);
  if (ALWAYS_THINKS.test(model)) {
    if (type !== "adaptive") return `"thinking.type.${type}" is not supported for this model.`;
    if (isForced) return "tool_choice: forced tool use is not supported on this model";
  }
  if (isForced && type !== "disabled") return "Thinking may not be enabled when tool_choice forces tool use.";
  if (type === "disabled" && ["xhigh", "max"].includes(body.output_config?.effort)) return "thinking can't be disabled";
  if (thinking?.type === "enabled" && !(thinking.budget_tokens >= 1024 && thinking.budget_tokens < body.max_tokens)) {
    return "thinking.enabled.budget_tokens: must be at least 1024 and below max_tokens";
  }
  const newest = body.messages.findLast(({ role }: Loose) => role === "assistant");
  if (thinking?.type === "enabled" && blocksOf(newest).some(isUse) && !newest.content[0].type.endsWith("thinking")) {
    return "Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
  }
  if (type === "disabled" && blocksOf(newest).some((block) => block.type.endsWith("thinking"))) {
    return "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.";
  }
  const hasBeta = (headers["anthropic-beta"] ?? "").split(",").includes(BINDING_BETA);
  if (thinking?.block_binding !== undefined && !hasBeta) {
    return "thinking.adaptive.block_binding: Extra inputs are not permitted";
  }
  for (const [at, message] of body.messages.entries()) {
    if (message.role !== "assistant") continue;
    for (const [index, block] of message.content.entries()) {
      if (block.type !== "thinking" && block.type !== "redacted_thinking") continue;
      const [prefix, words] = (block.signature ?? block.data).split(".");
      const [expected, expectedWords] = signThought(body, body.messages.slice(0, at), block.thinking ?? "").split(".");
      if (block.type === "thinking" && words !== expectedWords) return "Invalid `signature` in `thinking` block.";
      if (!IS_BOUND.test(model) || prefix === expected) continue;
      if (thinking?.block_binding?.prefix_mismatch_behavior !== "drop_block") {
        return "Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
      }
      droppedThinking.push(`messages.${at}.content.${index}`);
    }
  }
  return null;
}
