// Function tools and the forms of tool_choice. @spec resources/tool
import Type, { type Static } from "typebox";
import { oneOf, orNull } from "./shapes.ts";

const JsonObject = Type.Record(Type.String(), Type.Unknown());

/** A tool as a client sends it. */
export const FunctionTool = Type.Object({
  type: Type.Literal("function"),
  name: Type.String({ minLength: 1 }),
  description: Type.Optional(orNull(Type.String())),
  parameters: Type.Optional(orNull(JsonObject)),
  strict: Type.Optional(orNull(Type.Boolean())),
});

/** A tool in a response: all five keys, null where not sent (docs/wire.md, Objects). */
export const EchoedTool = Type.Object({
  type: Type.Literal("function"),
  name: Type.String(),
  description: orNull(Type.String()),
  parameters: orNull(JsonObject),
  strict: orNull(Type.Boolean()),
});

export const TOOL_CHOICE_WORDS = ["none", "auto", "required"] as const;
export const ALLOWED_TOOLS_MODES = ["auto", "required"] as const;

const ToolChoiceWord = oneOf(TOOL_CHOICE_WORDS);
const ChosenName = Type.String({ minLength: 1 });
const FunctionChoice = Type.Object({ type: Type.Literal("function"), name: ChosenName });
const AllowedTool = Type.Object({ type: Type.Optional(Type.Literal("function")), name: ChosenName });
const AllowedTools = Type.Array(AllowedTool, { minItems: 1 });
const AllowedMode = oneOf(ALLOWED_TOOLS_MODES);

/** `tool_choice` as a client sends it. */
export const ToolChoice = Type.Union([
  ToolChoiceWord,
  FunctionChoice,
  Type.Object({
    type: Type.Literal("allowed_tools"),
    mode: Type.Optional(orNull(AllowedMode)),
    tools: AllowedTools,
  }),
]);

/** `tool_choice` in a response: as sent, but `allowed_tools` always has its mode. */
export const EchoedToolChoice = Type.Union([
  ToolChoiceWord,
  FunctionChoice,
  Type.Object({ type: Type.Literal("allowed_tools"), mode: AllowedMode, tools: AllowedTools }),
]);

export type FunctionTool = Static<typeof FunctionTool>;
export type EchoedTool = Static<typeof EchoedTool>;
export type EchoedToolChoice = Static<typeof EchoedToolChoice>;

/** Whether the model has to call a tool. */
export function forcesACall(choice: EchoedToolChoice): boolean {
  if (typeof choice === "string") return choice === "required";
  return choice.type === "function" || choice.mode === "required";
}
