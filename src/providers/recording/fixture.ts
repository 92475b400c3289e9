// The file of a recorded exchange: what `turngate record` writes, `turngate replay` and the tests read.
import Type, { type Static } from "typebox";
import { Check } from "typebox/schema";
import type { CatalogModel } from "../../core/models/catalog.ts";
import type { ResponseHeaders } from "../wire/response-headers.ts";

/** Changes with the shape of the file. */
const FORMAT = "turngate-fixture-1";

const Headers = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]));
const AnyObject = Type.Record(Type.String(), Type.Unknown());
const Chunk = Type.Object({
  ms: Type.Number(),
  text: Type.Optional(Type.String()),
  /** Bytes that are no UTF-8 by themselves. */
  base64: Type.Optional(Type.String()),
});

const Fixture = Type.Object({
  format: Type.Literal(FORMAT),
  turngate: Type.String(),
  family: Type.String(),
  /** The cloud that hosts the model. */
  host: Type.Optional(Type.String()),
  model: Type.Object({
    id: Type.String(),
    upstream_model: Type.String(),
    settings: Type.Array(Type.String()),
    context_window: Type.Number(),
    max_output_tokens: Type.Number(),
    default_output_tokens: Type.Number(),
    thinking: Type.Union([Type.Literal("none"), AnyObject]),
    forced_tool_choice: Type.Boolean(),
    end_user_field: Type.Boolean(),
    replay_reasoning: Type.Optional(Type.Boolean()),
  }),
  /** The body of POST /v1/responses. */
  create: AnyObject,
  exchanges: Type.Array(
    Type.Object({
      request: Type.Object({ method: Type.String(), path: Type.String(), headers: Headers, body: Type.Unknown() }),
      response: Type.Object({
        status: Type.Number(),
        headers: Headers,
        chunks: Type.Array(Chunk),
        /** Whether it came to its end; otherwise the connection was lost. */
        is_whole: Type.Boolean(),
      }),
    }),
  ),
  /** What becomes of it here: the part of the response that follows from the exchanges. */
  expected: AnyObject,
});

export type FixtureFile = Static<typeof Fixture>;

/** A response of a fixture. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly chunks: readonly { readonly ms: number; readonly bytes: Buffer }[];
  readonly isWhole: boolean;
}

/** Reads the text of a fixture; null if it is none. */
export function readFixture(text: string): FixtureFile | null {
  try {
    const value: unknown = JSON.parse(text);
    return Check(Fixture, value) ? value : null;
  } catch {
    return null;
  }
}

/** A fixture without `format`, as a text for its file. */
export function writeFixture(fixture: Omit<FixtureFile, "format">): string {
  return `${JSON.stringify({ format: FORMAT, ...fixture }, null, 2)}\n`;
}

/** The responses of a fixture, with their bytes. */
export function responsesOf({ exchanges }: FixtureFile): readonly RecordedResponse[] {
  return exchanges.map(({ response: { status, headers, chunks, is_whole: isWhole } }) => ({
    status,
    headers,
    isWhole,
    chunks: chunks.map(({ ms, text, base64 }) => ({
      ms,
      bytes: text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text),
    })),
  }));
}

/** The chunk of these bytes in a file: text where it is valid. */
export function chunkOf(ms: number, bytes: Buffer): Static<typeof Chunk> {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? { ms, text } : { ms, base64: bytes.toString("base64") };
}

/** A model as a fixture keeps it: what decides on its requests, no prices. */
export function describeModel(model: CatalogModel): FixtureFile["model"] {
  return {
    id: model.id,
    upstream_model: model.upstreamModel,
    settings: [...model.settings],
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    default_output_tokens: model.defaultOutputTokens,
    thinking: model.thinking === "none" ? "none" : { ...model.thinking },
    forced_tool_choice: model.forcedToolChoice,
    end_user_field: model.hasEndUserField,
    ...(model.replaysReasoning === undefined ? {} : { replay_reasoning: model.replaysReasoning }),
  };
}

/** The model of a fixture, at a provider of that name. */
export function modelOf({ model }: FixtureFile, provider: string): CatalogModel {
  return {
    id: model.id,
    provider,
    upstreamModel: model.upstream_model,
    settings: new Set(model.settings) as CatalogModel["settings"],
    contextWindow: model.context_window,
    maxOutputTokens: model.max_output_tokens,
    defaultOutputTokens: model.default_output_tokens,
    thinking: model.thinking as CatalogModel["thinking"],
    forcedToolChoice: model.forced_tool_choice,
    hasEndUserField: model.end_user_field,
    ...(model.replay_reasoning === undefined ? {} : { replaysReasoning: model.replay_reasoning }),
    prices: { input: 0, cached_input: 0, cache_write: 0, output: 0 },
    ownedBy: provider,
    created: 0,
  };
}
