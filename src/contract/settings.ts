// Generation settings and the three groups of models. @spec endpoints/model-settings
import Type, { type Static } from "typebox";
import { oneOf, orNull } from "./shapes.ts";

/** The settings that a model may support; none supports `top_logprobs`. */
export const SETTINGS = [
  "parallel_tool_calls",
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "text.format",
  "text.verbosity",
] as const;
export type Setting = (typeof SETTINGS)[number];

export const MODEL_GROUPS = {
  A: ["parallel_tool_calls", "text.format"],
  B: ["temperature", "top_p", "presence_penalty", "frequency_penalty", "text.format"],
  C: ["parallel_tool_calls", "text.format", "text.verbosity"],
} as const satisfies Record<string, readonly Setting[]>;
export type ModelGroup = keyof typeof MODEL_GROUPS;

/** Range of each numeric setting; for the penalties, that of the public Responses API (docs/decisions/readings.md). */
export const SETTING_RANGES = {
  temperature: { minimum: 0, maximum: 2 },
  top_p: { minimum: 0, maximum: 1 },
  presence_penalty: { minimum: -2, maximum: 2 },
  frequency_penalty: { minimum: -2, maximum: 2 },
} as const;

export const VERBOSITIES = ["low", "medium", "high"] as const;
export type Verbosity = (typeof VERBOSITIES)[number];
export const VERBOSITY = oneOf(VERBOSITIES);

const PlainFormat = Type.Object({ type: Type.Literal("text") });
const SchemaFormat = Type.Object({
  type: Type.Literal("json_schema"),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  schema: Type.Record(Type.String(), Type.Unknown()),
  strict: Type.Optional(orNull(Type.Boolean())),
});
const { type, schema, strict } = SchemaFormat.properties;
const text = Type.Optional(orNull(Type.String()));

/** `text.format` in a response. */
export const TextFormat = Type.Union([PlainFormat, SchemaFormat]);
/** `text.format` as a client sends it. */
export const SentTextFormat = Type.Union([
  PlainFormat,
  Type.Object({ type, name: text, description: text, schema, strict }),
]);
export type TextFormat = Static<typeof TextFormat>;

/** `text` in a response; its members are never null. */
export const TextReport = Type.Object({
  format: TextFormat,
  verbosity: VERBOSITY,
});
export type TextReport = Static<typeof TextReport>;

export const TRUNCATIONS = ["disabled", "auto"] as const;
export type Truncation = (typeof TRUNCATIONS)[number];

export const REASONING_EFFORTS = ["none", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];
export const REASONING_SUMMARIES = ["concise", "detailed", "auto"] as const;

/** The accepted values of `service_tier`; none has an effect. */
export const SERVICE_TIERS = ["auto", "default", "flex", "priority"] as const;
/** The tier that every response reports. */
export const SERVICE_TIER = "default";
