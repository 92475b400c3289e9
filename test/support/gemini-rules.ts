// The rules of Gemini's generateContent for requests, as documented or observed.
import type { Loose } from "./http-client.ts";

/** The error of a body, as a sentence; null for a valid one. */
export function checkBody(model: string, body: Loose): string | null {
  return checkFields(body) ?? checkContents(model, body) ?? checkTools(body);
}

/** The thought signature of a model's call. */
export function signPart(model: string): string {
  return `signed by ${model}`;
}

const FIELDS = ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"];
const SETTINGS =
  "maxOutputTokens temperature topP presencePenalty frequencyPenalty responseMimeType responseJsonSchema thinkingConfig".split(
    " ",
  );
const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;
/** Accepted in place of a missing signature. */
const NO_SIGNATURE = "skip_thought_signature_validator";

function checkFields(body: Loose): string | null {
  const unknown = Object.keys(body).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}"`;
  const setting = Object.keys(body.generationConfig ?? {}).find((key) => !SETTINGS.includes(key));
  return setting === undefined
    ? null
    : `Invalid JSON payload received. Unknown name "${setting}" at 'generation_config'`;
}

function checkContents(model: string, { contents }: Loose): string | null {
  if (!Array.isArray(contents) || contents.length === 0) return "contents is not specified";
  if (contents[0].role !== "user") return "Please ensure that the conversation begins with a user turn.";
  if (contents.at(-1).role !== "user") return "Please ensure that the conversation ends with a user turn.";
  const turnStart = contents.findLastIndex(({ role, parts }: Loose) => role === "user" && parts.some(isText));
  let owed: Loose[] = [];
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== "user" && role !== "model") return `Please use a valid role: user, model. (contents[${at}])`;
    if (!Array.isArray(parts) || parts.length === 0) return `contents[${at}].parts must not be empty.`;
    if (parts.some((part: Loose) => isText(part) && part.text === "" && part.thoughtSignature === undefined)) {
      return `contents[${at}].parts: Unable to submit request because it must have a text parameter.`;
    }
    if (at > 0 && role === "model" && contents[at - 1].role === "model" && parts.some(isCall)) {
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
    }
    const responses = parts.flatMap(({ functionResponse }: Loose) => functionResponse ?? []);
    if (owed.length !== responses.length) {
      return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    }
    for (const [index, { id, name }] of responses.entries()) {
      if (owed[index].id !== id || owed[index].name !== name) return `function response ${index} is of another call`;
    }
    owed = parts.flatMap(({ functionCall }: Loose) => functionCall ?? []);
    if (owed.length > 0 && role !== "model") return "function calls are the model's.";
    const badName = owed.find(({ name }) => !NAME.test(name));
    if (badName !== undefined) return `Invalid function name ${badName.name}.`;
    const signature = parts.find(({ functionCall }: Loose) => functionCall !== undefined)?.thoughtSignature;
    if (owed.length === 0) continue;
    if (at > turnStart && signature === undefined) {
      return "Function call is missing a thought_signature in functionCall parts.";
    }
    if (signature !== undefined && signature !== NO_SIGNATURE && signature !== signPart(model)) {
      return "Thought signature is not valid.";
    }
  }
  return owed.length > 0 ? "Please ensure that function call turn is followed by a function response turn." : null;
}

function isText({ text }: Loose): boolean {
  return text !== undefined;
}

function isCall({ functionCall }: Loose): boolean {
  return functionCall !== undefined;
}

function checkTools({ tools, toolConfig, generationConfig = {} }: Loose): string | null {
  const declared: Loose[] = tools?.[0]?.functionDeclarations ?? [];
  const badName = declared.find(({ name }) => !NAME.test(name));
  if (badName !== undefined) return `Invalid function name ${badName.name}.`;
  const { mode, allowedFunctionNames: names = [] } = toolConfig?.functionCallingConfig ?? {};
  if (mode !== undefined && declared.length === 0)
    return "Function calling config is set without function_declarations.";
  const lost = names.find((name: string) => !declared.some((tool) => tool.name === name));
  if (lost !== undefined) return `allowed_function_names: ${lost} is not declared.`;
  if (names.length > 0 && mode !== "ANY")
    return "Please set allowed_function_names only when function calling mode is ANY.";
  if (mode === "ANY" && generationConfig.responseMimeType !== undefined) {
    return "Forced function calling (mode = ANY) with a response mime type: 'application/json' is unsupported";
  }
  return null;
}
