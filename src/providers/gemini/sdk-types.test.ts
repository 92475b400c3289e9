// Checks what this family sends against the types of the provider's SDK: drift fails the type check, not the service.
import assert from "node:assert/strict";
import test from "node:test";
import type {
  BlockedReason,
  Content,
  FinishReason,
  GenerateContentResponse,
  GenerationConfig,
  Part,
  Tool,
  ToolConfig,
} from "@google/genai";
import type { WireGenerationConfig, WireRequest } from "./encode.ts";
import { endingOf, FINISH_REASONS } from "./finish-reasons.ts";
import type { WireCall, WireResponse, WireText } from "./messages.ts";
import type { WireToolConfig, WireTools } from "./tools.ts";

/** A type of the SDK as JSON: enums as their string values. */
type Plain<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Element)[]
    ? readonly Plain<Element>[]
    : T extends object
      ? { readonly [Key in keyof T]: Plain<T[Key]> }
      : T;

/** Keys of ours that the SDK's type does not have, at any depth; a record of arbitrary values ends the descent. */
type Unknown<Ours, Theirs> = Ours extends readonly (infer OurElement)[]
  ? Theirs extends readonly (infer TheirElement)[]
    ? Unknown<OurElement, TheirElement>
    : never
  : Ours extends object
    ? string extends keyof Ours
      ? never
      : unknown extends Theirs
        ? never
        : {
            [Key in keyof Ours]-?: Key extends keyof NonNullable<Theirs>
              ? Unknown<NonNullable<Ours[Key]>, NonNullable<NonNullable<Theirs>[Key]>>
              : Key;
          }[keyof Ours]
    : never;

/** The body as the SDK writes it: the fields of its config at their places on the wire. */
interface SdkRequest {
  readonly contents: Plain<Content[]>;
  readonly systemInstruction?: Plain<Content>;
  readonly tools?: Plain<Tool[]>;
  readonly toolConfig?: Plain<ToolConfig>;
  readonly generationConfig?: Plain<GenerationConfig>;
}

/** The parts that this family builds. In a union with replayed parts, anything would fit. */
type BuiltPart = WireText | WireCall | WireResponse;

type IsNever<T> = [T] extends [never] ? true : false;
type Holds<T extends true> = T;
type Fits<Ours extends Theirs, Theirs> = Ours extends Theirs ? true : never;

type _RequestFits = Holds<Fits<WireRequest, SdkRequest>>;
type _PartsFit = Holds<Fits<BuiltPart, Plain<Part>>>;
type _NoUnknownKey = readonly [
  Holds<IsNever<Unknown<WireGenerationConfig, GenerationConfig>>>,
  Holds<IsNever<Unknown<WireTools, Tool>>>,
  Holds<IsNever<Unknown<WireToolConfig, ToolConfig>>>,
  Holds<IsNever<Unknown<WireText, Part>>>,
  Holds<IsNever<Unknown<WireCall, Part>>>,
  Holds<IsNever<Unknown<WireResponse, Part>>>,
];
type _NoUnknownPlace = Holds<IsNever<Exclude<keyof WireRequest, keyof SdkRequest>>>;
type _EveryEnd = Holds<IsNever<Exclude<`${FinishReason}`, keyof typeof FINISH_REASONS>>>;
type _NoOtherEnd = Holds<IsNever<Exclude<keyof typeof FINISH_REASONS, `${FinishReason}` | "MODEL_ARMOR">>>;

/** The fields that decode reads. */
type Candidate = NonNullable<GenerateContentResponse["candidates"]>[number];
type _Read = readonly [
  Candidate["content"],
  Candidate["finishReason"],
  Candidate["continuationToken"],
  Candidate["index"],
  NonNullable<GenerateContentResponse["promptFeedback"]>["blockReason"] & BlockedReason,
  GenerateContentResponse["responseId"],
  NonNullable<GenerateContentResponse["usageMetadata"]>[
    | "promptTokenCount"
    | "toolUsePromptTokenCount"
    | "cachedContentTokenCount"
    | "candidatesTokenCount"
    | "thoughtsTokenCount"
    | "totalTokenCount"],
];

/** A value of any of the types above. */
export type Checked = readonly [_RequestFits, _PartsFit, _NoUnknownKey, _NoUnknownPlace, _EveryEnd, _NoOtherEnd, _Read];

test("a finish reason unknown to the SDK is a broken ending", () => {
  assert.equal(endingOf("STOP"), "ended");
  assert.equal(endingOf("NEW_REASON"), "broken");
  assert.equal(endingOf("constructor"), "broken");
});
