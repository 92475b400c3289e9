// The shapes of the contract as named components, each written once and referenced elsewhere.
import type { TSchema } from "typebox";
import { ERROR_CATALOGUE } from "../contract/errors.ts";
import { EVENTS, type EventType } from "../contract/events.ts";
import * as items from "../contract/items.ts";
import { errorEnvelope } from "./error-responses.ts";
import { type JsonSchema, schemaRef, toPlain } from "./json.ts";
import * as requests from "../contract/requests.ts";
import * as resources from "../contract/resources.ts";
import { SentTextFormat, TextFormat, TextReport } from "../contract/settings.ts";
import * as tools from "../contract/tools.ts";

/** Shapes by component name, inner ones first. */
const SHAPES: Readonly<Record<string, TSchema>> = {
  UrlCitation: items.UrlCitation,
  InputTextPart: items.InputTextPart,
  OutputTextPart: items.OutputTextPart,
  TextPart: items.TextPart,
  SummaryTextPart: items.SummaryTextPart,
  ReasoningTextPart: items.ReasoningTextPart,
  RefusalPart: items.RefusalPart,
  Message: items.Message,
  FunctionCall: items.FunctionCall,
  FunctionCallOutput: items.FunctionCallOutput,
  Reasoning: items.Reasoning,
  OutputItem: items.OutputItem,
  Item: items.Item,
  UnreadableItem: items.UnreadableItem,
  Metadata: resources.Metadata,
  Usage: resources.Usage,
  Warning: resources.Warning,
  FailureDetail: resources.FailureDetail,
  TextFormat,
  SentTextFormat,
  TextReport,
  FunctionTool: tools.FunctionTool,
  EchoedTool: tools.EchoedTool,
  ToolChoice: tools.ToolChoice,
  EchoedToolChoice: tools.EchoedToolChoice,
  Response: resources.ResponseObject,
  DeletedResponse: resources.DeletedResponse,
  Conversation: resources.Conversation,
  DeletedConversation: resources.DeletedConversation,
  ItemList: resources.ItemList,
  Model: resources.Model,
  ModelList: resources.ModelList,
  InputItem: requests.InputItem,
  AddedItem: requests.AddedItem,
  CreateResponseBody: requests.CreateResponseBody,
  CreateConversationBody: requests.CreateConversationBody,
  UpdateConversationBody: requests.UpdateConversationBody,
  AddItemsBody: requests.AddItemsBody,
};

/** `components.schemas`: the shapes, a component for each event, their union, and the error envelope. */
export function buildSchemas(): Record<string, JsonSchema> {
  const shapes = { ...SHAPES, ...eventShapes() };
  const names = new Map(Object.entries(shapes).map(([name, shape]) => [JSON.stringify(shape), name]));
  const schemas: Record<string, JsonSchema> = {};
  for (const [name, shape] of Object.entries(shapes)) schemas[name] = referInside(toPlain(shape), names);
  return {
    ...schemas,
    CreateResponseBody: allowNullProperties(schemas["CreateResponseBody"] ?? {}),
    StreamEvent: streamEventUnion(),
    Error: errorEnvelope(
      "The envelope of every error. `code` is the field to switch on; `type` follows from the status.",
      "The request field that caused the error, or null.",
      Object.keys(ERROR_CATALOGUE),
    ),
  };
}

/** `response.output_text.delta` → `ResponseOutputTextDeltaEvent`. */
function eventName(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Event`;
}

function eventShapes(): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(EVENTS).map(([type, shape]) => [eventName(type), shape]));
}

function streamEventUnion(): JsonSchema {
  const types = Object.keys(EVENTS) as EventType[];
  return {
    description: "The content of the `data:` line of a frame; the `event:` line repeats the type.",
    oneOf: types.map((type) => schemaRef(eventName(type))),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(types.map((type) => [type, schemaRef(eventName(type))["$ref"]])),
    },
  };
}

/**
 * Replaces named shapes inside a schema by references, and a record's `patternProperties` by `additionalProperties`.
 */
function referInside(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === "patternProperties" && isRecord(value))
      return ["additionalProperties", refer(value[ANY_KEY], names)];
    return [keyword, refer(value, names)];
  });
  return Object.fromEntries(entries);
}

/** typebox's pattern for a record with arbitrary keys. */
const ANY_KEY = "^.*$";

function isRecord(patterns: unknown): patterns is Readonly<Record<typeof ANY_KEY, unknown>> {
  return typeof patterns === "object" && patterns !== null && ANY_KEY in patterns;
}

function refer(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((entry) => refer(entry, names));
  if (typeof value !== "object" || value === null) return value;
  const name = names.get(JSON.stringify(value));
  return name === undefined ? referInside(value as JsonSchema, names) : schemaRef(name);
}

/** Allows null in every field of a create, where it counts as absent (docs/wire.md, Objects). */
function allowNullProperties(schema: JsonSchema): JsonSchema {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  return {
    ...schema,
    description: "Null counts as absent in every field but `input`, which is required; unknown fields are ignored.",
    required: ["input"],
    properties: {
      ...Object.fromEntries(
        properties.map(([name, field]) => [name, name === "input" ? field : { anyOf: [field, { type: "null" }] }]),
      ),
      ...Object.fromEntries(
        Object.entries(requests.REJECTED_FIELDS).map(([name, reason]) => [
          name,
          { type: "null", description: `Rejected when it has a value: ${reason}.` },
        ]),
      ),
    },
  };
}
