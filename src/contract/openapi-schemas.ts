// The shapes of the contract as named components: each is written once and referred to everywhere else.
import type { TSchema } from "typebox";
import { ERROR_CATALOGUE } from "./errors.ts";
import { EVENTS, type EventType } from "./events.ts";
import * as items from "./items.ts";
import { errorEnvelope } from "./openapi-envelope.ts";
import { type JsonSchema, schemaRef, toPlain } from "./openapi-json.ts";
import * as requests from "./requests.ts";
import * as resources from "./resources.ts";
import { TextFormat, TextReport } from "./settings.ts";
import * as tools from "./tools.ts";

/** Shapes by component name, inner ones before those that hold them. */
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
  CreateResponseBody: requests.CreateResponseBody,
  CreateConversationBody: requests.CreateConversationBody,
  UpdateConversationBody: requests.UpdateConversationBody,
  AddItemsBody: requests.AddItemsBody,
};

/** `components.schemas`: the shapes, one component an event, their union, and the error envelope. */
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
      "The request field it is about, else null.",
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
    description: "What the `data:` line of a frame holds; its `event:` line repeats the type.",
    oneOf: types.map((type) => schemaRef(eventName(type))),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(types.map((type) => [type, schemaRef(eventName(type))["$ref"]])),
    },
  };
}

/** Everything inside a schema that is a named shape becomes a reference; a record's `patternProperties` takes its plainer form. */
function referInside(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === "patternProperties" && isRecord(value))
      return ["additionalProperties", refer(value[ANY_KEY], names)];
    return [keyword, refer(value, names)];
  });
  return Object.fromEntries(entries);
}

/** The pattern under which typebox writes a record with keys of any kind. */
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

/** Null is taken for absent in every field of a create (docs/wire.md, objects). */
function allowNullProperties(schema: JsonSchema): JsonSchema {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  return {
    ...schema,
    description: "Null is taken for absent everywhere; fields not named here are ignored.",
    properties: Object.fromEntries(properties.map(([name, field]) => [name, { anyOf: [field, { type: "null" }] }])),
  };
}
