// Reads the fields that a request with tool outputs inherits from its turn: tools, tool_choice, max_tool_calls,
// safety_identifier. @spec resources/tool, endpoints/post-responses
import { invalidInput } from "../../contract/errors.ts";
import {
  ALLOWED_TOOLS_MODES,
  type EchoedTool,
  type EchoedToolChoice,
  TOOL_CHOICE_WORDS,
} from "../../contract/tools.ts";
import { isSent, readCreateField, readField } from "./field.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { ToolFields } from "../response/request.ts";
import { describe, describeName } from "./json-value.ts";

/** Reads these fields of a user turn. Throws 400 naming the field. */
export function readToolFields(body: JsonObject): ToolFields {
  const safetyIdentifier = readCreateField(body, "safety_identifier");
  // Beside a safety_identifier it is irrelevant, even if invalid.
  const user = safetyIdentifier === null ? readUser(body) : null;
  const tools = readTools(body["tools"]);
  return {
    safetyIdentifier,
    user,
    tools,
    toolChoice: readToolChoice(body["tool_choice"], tools),
    maxToolCalls: readCreateField(body, "max_tool_calls"),
  };
}

/** Reads the deprecated `user`. */
export function readUser(body: JsonObject): string | null {
  const user = readCreateField(body, "user");
  return user === "" ? null : user;
}

function readTools(value: unknown): readonly EchoedTool[] {
  if (!isSent(value)) return [];
  if (!Array.isArray(value))
    throw invalidInput("tools", `tools must be an array of function tools, not ${describe(value)}.`);
  return value.map((tool: unknown, index) => readTool(tool, `tools[${index}]`));
}

function readTool(tool: unknown, path: string): EchoedTool {
  if (!isJsonObject(tool)) throw invalidInput("tools", `${path} must be an object, not ${describe(tool)}.`);
  if (tool["type"] !== "function") {
    throw invalidInput(
      "tools",
      `${path}.type must be "function", not ${describeName(tool["type"])}: the client runs its own tools.`,
    );
  }
  const name = tool["name"];
  if (typeof name !== "string" || name === "") {
    if (isJsonObject(tool["function"])) {
      throw invalidInput(
        "tools",
        `${path} is in the form of chat completions: put name, description, parameters and strict beside type, without function around them.`,
      );
    }
    throw invalidInput("tools", `${path}.name must be a string that is not empty, not ${describe(name)}.`);
  }
  return {
    type: "function",
    name,
    description: readField<string>(`${path}.description`, tool["description"], { type: "string" }),
    parameters: readParameters(tool["parameters"], `${path}.parameters`),
    strict: readField<boolean>(`${path}.strict`, tool["strict"], { type: "boolean" }),
  };
}

function readParameters(value: unknown, path: string): JsonObject | null {
  if (!isSent(value)) return null;
  if (isJsonObject(value)) return value;
  throw invalidInput("tools", `${path} must be a JSON schema object, not ${describe(value)}.`);
}

function readToolChoice(value: unknown, tools: readonly EchoedTool[]): EchoedToolChoice {
  if (!isSent(value)) return "auto";
  if (typeof value === "string") return readWord(value, tools);
  if (!isJsonObject(value)) throw choiceError(`tool_choice must be a string or an object, not ${describe(value)}`);
  const toolNames = new Set(tools.map((tool) => tool.name));
  switch (value["type"]) {
    case "function":
      if (!isSent(value["name"]) && isJsonObject(value["function"])) {
        throw choiceError(
          'tool_choice is in the form of chat completions: send {"type": "function", "name": …}, without function around the name',
        );
      }
      return { type: "function", name: readChosenName(value["name"], "tool_choice.name", toolNames) };
    case "allowed_tools":
      return readAllowedTools(value, toolNames);
    default:
      throw choiceError(`tool_choice.type must be "function" or "allowed_tools", not ${describeName(value["type"])}`);
  }
}

function readWord(value: string, tools: readonly EchoedTool[]): EchoedToolChoice {
  const word = TOOL_CHOICE_WORDS.find((candidate) => candidate === value);
  if (word === undefined)
    throw choiceError(
      `tool_choice must be one of ${TOOL_CHOICE_WORDS.join(", ")} or an object, not ${describe(value)}`,
    );
  if (word === "required" && tools.length === 0)
    throw choiceError(`tool_choice "required" needs at least one tool in tools`);
  return word;
}

function readChosenName(name: unknown, path: string, toolNames: ReadonlySet<string>): string {
  if (typeof name !== "string" || name === "") {
    throw choiceError(`${path} must name a function, not ${describe(name)}`);
  }
  if (!toolNames.has(name)) {
    throw choiceError(`${path} names ${describeName(name)}, which is not among the request's tools`);
  }
  return name;
}

function readAllowedTools(choice: JsonObject, toolNames: ReadonlySet<string>): EchoedToolChoice {
  const sentMode = choice["mode"] ?? "auto";
  const mode = ALLOWED_TOOLS_MODES.find((candidate) => candidate === sentMode);
  if (mode === undefined) throw choiceError(`tool_choice.mode must be auto or required, not ${describe(sentMode)}`);
  const entries = choice["tools"];
  if (!Array.isArray(entries) || entries.length === 0) {
    const sent = Array.isArray(entries) ? "an empty one" : describe(entries);
    throw choiceError(`tool_choice.tools must be an array naming one tool at least, not ${sent}`);
  }
  return {
    type: "allowed_tools",
    mode,
    tools: entries.map((entry: unknown, index) => {
      const path = `tool_choice.tools[${index}]`;
      const { type, name: sentName } = isJsonObject(entry) ? entry : {};
      if (isSent(type) && type !== "function")
        throw choiceError(`${path}.type must be "function", not ${describeName(type)}`);
      const name = readChosenName(sentName, `${path}.name`, toolNames);
      return { type: "function" as const, name };
    }),
  };
}

function choiceError(problem: string) {
  return invalidInput("tool_choice", `${problem}.`);
}
