// The rules of OpenAI's Responses API for requests, as documented or observed.
import type { Loose } from "./http-client.ts";

/** The error of a body, as a sentence; null for a valid one. */
export function checkBody(body: Loose): string | null {
  return checkFields(body) ?? checkInput(body) ?? checkTools(body) ?? checkFormat(body.text?.format);
}

const ENCRYPTED_UNSUPPORTED = "Encrypted content is not supported with this model.";

/** The encryption of reasoning: valid for one model only. */
export function sealThought(model: string, words: string): string {
  return `gAAA.${Buffer.from(JSON.stringify([model, words])).toString("base64url")}`;
}

const FIELDS =
  "model input stream store include instructions tools tool_choice parallel_tool_calls max_output_tokens text reasoning safety_identifier prompt_cache_key prompt_cache_options".split(
    " ",
  );
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "id", "role", "content", "phase", "status"],
  function_call: ["type", "call_id", "name", "arguments"],
  function_call_output: ["type", "call_id", "output"],
  reasoning: ["type", "id", "summary", "encrypted_content"],
};

function checkFields(body: Loose): string | null {
  const unknown = Object.keys(body).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
  if (body.stream !== true || body.store !== false) return "only streams that are not stored are expected here";
  if (/plain/.test(body.model) && body.include !== undefined) return ENCRYPTED_UNSUPPORTED;
  if (body.max_output_tokens < 16) return "Invalid 'max_output_tokens': integer below minimum value.";
  if ((body.safety_identifier ?? "").length > 128) return "Invalid 'safety_identifier': string too long.";
  if ((body.prompt_cache_key ?? "").length > 64) return "Invalid 'prompt_cache_key': string too long.";
  return null;
}

function checkInput({ input, model }: Loose): string | null {
  if (!Array.isArray(input) || input.length === 0) return "Invalid 'input': empty array.";
  const called = new Map<string, boolean>();
  for (const [at, item] of input.entries()) {
    const path = `input[${at}]`;
    const fields = ITEM_FIELDS[item.type];
    if (fields === undefined) return `Invalid value: '${item.type}' for ${path}.type.`;
    // The API itself takes reasoning and parts without an id; strict gateways and vLLM do not.
    const needsId = item.type === "reasoning" || Array.isArray(item.content);
    if (needsId && item.id === undefined) return `Invalid value for '${path}.id': expected a value.`;
    if (item.type === "reasoning" && item.encrypted_content === undefined)
      return `Item '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
    const unknown = Object.keys(item).find((key) => !fields.includes(key));
    if (unknown !== undefined) return `Unknown parameter: '${path}.${unknown}'.`;
    const error = checkItem(item, path, called, input[at + 1], model);
    if (error !== null) return error;
  }
  for (const [callId, isAnswered] of called) {
    if (!isAnswered) return `No tool output found for function call ${callId}.`;
  }
  return null;
}

function checkItem(item: Loose, path: string, called: Map<string, boolean>, next: Loose, model: string): string | null {
  switch (item.type) {
    case "message":
      return checkMessage(item, path);
    case "function_call":
      if (item.call_id.length > 64 || item.call_id === "") return `Invalid '${path}.call_id': string too long.`;
      if (called.has(item.call_id)) return `Duplicate call_id ${item.call_id}.`;
      if (!NAME.test(item.name)) return `Invalid '${path}.name': string does not match pattern.`;
      if (typeof item.arguments !== "string") return `Invalid type for '${path}.arguments'.`;
      called.set(item.call_id, false);
      return null;
    case "function_call_output":
      if (called.get(item.call_id) !== false) return `No tool call found for function call output ${item.call_id}.`;
      if (typeof item.output !== "string") return `Invalid type for '${path}.output'.`;
      called.set(item.call_id, true);
      return null;
    default: {
      const seal = Buffer.from(String(item.encrypted_content).replace("gAAA.", ""), "base64url").toString();
      if (!seal.startsWith(JSON.stringify([model]).slice(0, -1))) return "The encrypted content could not be verified.";
      const isFollowed = next?.type === "function_call" || next?.role === "assistant" || next?.type === "reasoning";
      return isFollowed ? null : `${path} of type 'reasoning' was provided without its required following item.`;
    }
  }
}

function checkMessage({ role, content, phase }: Loose, path: string): string | null {
  if (!["user", "assistant", "system", "developer"].includes(role)) return `Invalid value for '${path}.role'.`;
  if (phase !== undefined && (role !== "assistant" || !["commentary", "final_answer"].includes(phase))) {
    return `Invalid value for '${path}.phase'.`;
  }
  if (typeof content === "string") return null;
  if (!Array.isArray(content)) return `Invalid type for '${path}.content'.`;
  const types = role === "assistant" ? ["output_text", "refusal"] : ["input_text"];
  return content.every(({ type }: Loose) => types.includes(type)) ? null : `Invalid value for '${path}.content'.`;
}

function checkTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Loose): string | null {
  if (tools === undefined) {
    return choice === undefined && parallel === undefined ? null : "'tool_choice' is only allowed with 'tools'.";
  }
  for (const [at, tool] of tools.entries()) {
    if (tool.type !== "function" || !NAME.test(tool.name)) return `Invalid 'tools[${at}].name'.`;
    if (typeof tool.parameters !== "object" || tool.parameters === null) return `Missing 'tools[${at}].parameters'.`;
    // Absent means true.
    const error = tool.strict === false ? null : checkStrict(tool.parameters);
    if (error !== null) return `Invalid schema for function '${tool.name}': ${error}`;
  }
  const named = choice?.type === "function" ? [choice] : (choice?.tools ?? []);
  const lost = named.find(({ name }: Loose) => !tools.some((tool: Loose) => tool.name === name));
  return lost === undefined ? null : `Tool choice '${lost.name}' not found in 'tools' parameter.`;
}

function checkFormat(format: Loose): string | null {
  if (format === undefined) return null;
  if (!/^[\w-]{1,64}$/.test(format.name ?? "")) return "Invalid 'text.format.name'.";
  const error = format.strict === true ? checkStrict(format.schema) : null;
  return error === null ? null : `Invalid schema for response_format '${format.name}': ${error}`;
}

function checkStrict(schema: Loose): string | null {
  if (typeof schema !== "object" || schema === null) return null;
  if (schema.type === "object") {
    if (schema.additionalProperties !== false) return "'additionalProperties' is required to be false.";
    const missing = Object.keys(schema.properties ?? {}).find((key) => !(schema.required ?? []).includes(key));
    if (missing !== undefined) return `'required' must include every key. Missing '${missing}'.`;
  }
  const inner = [...Object.values(schema.properties ?? {}), ...Object.values(schema.$defs ?? {}), schema.items];
  return inner.map(checkStrict).find((error) => error !== null) ?? null;
}
