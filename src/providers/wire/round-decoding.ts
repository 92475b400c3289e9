// The part that the decoders of all families share: parts wait here until they are passed on, calls get their ids and
// names, and the model ends once.
import type { Usage } from "../../contract/resources.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { Ids } from "../../ports/ids.ts";
import { type ProviderPart, type Receive, UpstreamError } from "../../ports/provider.ts";
import { takenCallIds } from "./calls.ts";
import type { UpstreamErrorCode } from "./error-codes.ts";
import { countPromptCharacters, estimateUsage, estimateWarning } from "./estimate.ts";
import type { ResponseHead, ResponseProgress, ResponseReader } from "./exchange.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { BodyReader } from "./response-body.ts";
import { storableText } from "./text-cleaner.ts";
import type { WireNames } from "./wire-names.ts";

/** A round whose responses are decoded. */
export interface DecodedRound {
  /** Has the call_ids in use, and the input to estimate if the provider does not count it. */
  readonly prompt: Prompt;
  readonly ids: Pick<Ids, "mintCallId">;
  readonly toolNames: Pick<WireNames, "fromWire">;
  readonly receive: Receive;
}

/** What differs between the decoders. */
interface Decoder extends BodyReader {
  /** The whole body, if it is not an event stream; without a byte order mark. */
  document(text: string): void;
  /** Called before each flush, for parts that stand for everything that arrived together. */
  beforeFlush?(): void;
  /** Emits the last parts when the body ends after the model; for wires whose last event does not end the model. */
  finish?(): void;
}

/** The decoding of one round. Its decoder owns it. */
export class RoundDecoding {
  progress: ResponseProgress = "running";
  /** The usage reported so far. */
  usage: Usage | null = null;
  outputCharacters = 0;
  reasoningCharacters = 0;
  readonly #round: DecodedRound;
  #head: ResponseHead | null;
  #parts: ProviderPart[];
  #hasNul = false;
  /** Collected at the first call. */
  #takenIds: Set<string> | null = null;

  /** `first` precedes the parts of the response. */
  constructor(round: DecodedRound, head: ResponseHead | null = null, first: readonly ProviderPart[] = []) {
    this.#round = round;
    this.#head = head;
    this.#parts = [...first];
  }

  /** The head of the response being decoded. */
  get head(): ResponseHead {
    if (this.#head === null) throw new Error("no response is being read");
    return this.#head;
  }

  set head(head: ResponseHead) {
    this.#head = head;
  }

  /** The round's next response begins. */
  begin(head: ResponseHead): void {
    this.#head = head;
    this.progress = "running";
  }

  push(part: ProviderPart): void {
    this.#parts.push(part);
  }

  /** Reports the usage so far, which replaces an earlier one. */
  report(usage: Usage): void {
    this.usage = usage;
    this.push({ type: "usage", usage });
  }

  /** Usage estimated from the characters so far. */
  estimate(): Usage {
    const input = countPromptCharacters(this.#round.prompt);
    return estimateUsage({ input, output: this.outputCharacters, reasoning: this.reasoningCharacters });
  }

  /** The last parts: the usage, estimated if the provider reported none, and the end. */
  finish(incompleteReason: string | null): void {
    if (this.usage === null) {
      this.report(this.estimate());
      this.push(estimateWarning("The provider reported no usage: tokens are estimated at four characters each."));
    }
    this.push({ type: "finished", incompleteReason });
  }

  /**
   * The call_id of a call: the provider's own, or a new one if it is missing, in use or cannot be stored. The service finds calls by id.
   */
  takeCallId(wireId: string | null): string {
    const { prompt, ids } = this.#round;
    this.#takenIds ??= takenCallIds(prompt);
    const isStorable = wireId !== null && wireId.isWellFormed() && !wireId.includes("\0");
    const callId = isStorable && !this.#takenIds.has(wireId) ? wireId : ids.mintCallId();
    this.#takenIds.add(callId);
    return callId;
  }

  /** The client's name of the tool that a call names; null: the call has no name. */
  readToolName(wireName: string | null): string {
    if (wireName === null) throw this.fail("The provider sent a tool call without a name.");
    return this.clean(this.#round.toolNames.fromWire(wireName));
  }

  /** The JSON object of an event. */
  parseEvent(data: string): JsonObject {
    const value = parseJson(data);
    if (value === undefined) throw this.fail("The provider sent an event that is not JSON.");
    if (!isJsonObject(value)) throw this.fail("The provider sent an event that is not an object.");
    return value;
  }

  /** An error of this response: the request ran. */
  fail(message: string, code: UpstreamErrorCode = "provider_error"): UpstreamError {
    const { provider, status, requestId } = this.head;
    return new UpstreamError({ code, message, provider, status, requestId, certainlyNotRun: false });
  }

  /** A whole text as it can be stored. Texts that arrive in pieces have a TextCleaner. */
  clean(text: string): string {
    if (text.includes("\0")) this.warnOfNul();
    return storableText(text);
  }

  /** Warns once a round that the output has U+0000. */
  readonly warnOfNul = (): void => {
    if (this.#hasNul) return;
    this.#hasNul = true;
    const message = "The model's output has U+0000, which cannot be stored: U+FFFD stands in its place.";
    this.push({ type: "warning", code: "output_repaired", message, param: null });
  };

  /** The reader of a response: what the decoder reads becomes the parts. */
  reader(decoder: Decoder): ResponseReader {
    return {
      event: decoder.event,
      document: (text) => decoder.document(text.replace(/^\uFEFF/, "")),
      flush: () => {
        decoder.beforeFlush?.();
        return this.#flush();
      },
      progress: () => this.progress,
      end: () => {
        if (this.progress === "over") return;
        if (this.progress === "running") throw this.fail("The provider's response ended before the model did.");
        decoder.finish?.();
      },
    };
  }

  /** Passes on the parts since the last call; returns what the receiver returns. */
  #flush(): void | Promise<void> {
    if (this.#parts.length === 0) return;
    const parts = this.#parts;
    this.#parts = [];
    return this.#round.receive(parts);
  }
}
