// The part that the decoders of all families share: parts wait here until they are passed on, calls get their ids and
// names, and the model ends once.
import type { Usage } from "../../contract/resources.ts";
import { addUsage, createUsage } from "../../contract/usage.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import type { Ids } from "../../ports/ids.ts";
import { type KeptPart, NOTHING_KEPT, type ProviderPart, type Receive, UpstreamError } from "../../ports/provider.ts";
import { parseWithDigits } from "./arguments.ts";
import { BLOCKS_MAX } from "./bounds.ts";
import { takenCallIds } from "./calls.ts";
import type { UpstreamErrorCode } from "./error-codes.ts";
import { ALL_ESTIMATED, countPromptCharacters, estimateUsage, PARTLY_ESTIMATED } from "./estimate.ts";
import type { HttpHead, ResponseProgress, ResponseReader } from "./exchange.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { excessOf } from "./reply-json.ts";
import type { BodyReader } from "./response-body.ts";
import { mergeCounts, type TokenCounts, usageOf } from "./token-counts.ts";
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

/** State and unread bytes are reported again once they have grown by this, bytes: nearly all rounds keep less. */
const KEPT_STEP_BYTES = 64 * 1024;

/** What differs between the decoders. */
interface Decoder extends BodyReader {
  /** The whole body, if it is not an event stream; without a byte order mark. */
  document(text: string): void;
  /** Called before each flush, for parts that stand for everything that arrived together. */
  beforeFlush?(): void;
  /** Emits the last parts when the body ends after the model; for wires whose last event does not end the model. */
  finish?(): void;
}

const NOTHING = { usage: null, output: 0, reasoning: 0 };

/** The decoding of one round. Its decoder owns it. */
export class RoundDecoding {
  progress: ResponseProgress = "running";
  /** The usage reported so far. */
  usage: Usage | null = null;
  outputCharacters = 0;
  reasoningCharacters = 0;
  readonly #round: DecodedRound;
  #head: HttpHead | null;
  #parts: ProviderPart[];
  #hasNul = false;
  #kept = NOTHING_KEPT;
  #reportedKept = NOTHING_KEPT;
  #pieces = 0;
  /** The counts of the response so far; null without any. */
  #counts: TokenCounts | null = null;
  #isReported = false;
  #hasUnknown = false;
  /** What the earlier responses of the round had. */
  #before: { readonly usage: Usage | null; readonly output: number; readonly reasoning: number } = NOTHING;
  /** Collected at the first call. */
  #takenIds: Set<string> | null = null;

  /** `first` precedes the parts of the response. */
  constructor(round: DecodedRound, head: HttpHead | null = null, first: readonly ProviderPart[] = []) {
    this.#round = round;
    this.#head = head;
    this.#parts = [...first];
  }

  /** The head of the response being decoded. */
  get head(): HttpHead {
    if (this.#head === null) throw new Error("no response is being read");
    return this.#head;
  }

  set head(head: HttpHead) {
    this.#head = head;
  }

  /** The round's next response begins. */
  begin(head: HttpHead): void {
    this.#head = head;
    this.progress = "running";
    this.#counts = null;
    this.#isReported = false;
    this.#before = { usage: this.usage, output: this.outputCharacters, reasoning: this.reasoningCharacters };
  }

  push(part: ProviderPart): void {
    this.#parts.push(part);
  }

  /** Counts output that cannot be emitted yet; negative once it is emitted. DeferredReasoning does this for reasoning. */
  defer(bytes: number, characters: number, reasoning: number): void {
    if (bytes === 0) return;
    const { waitingBytes, waitingCharacters, waitingReasoning } = this.#kept;
    this.#keep({
      waitingBytes: waitingBytes + bytes,
      waitingCharacters: waitingCharacters + characters,
      waitingReasoning: waitingReasoning + reasoning,
    });
    // Before the output itself, which would be counted twice.
    if (bytes < 0 && this.#reportedKept.waitingBytes > 0) this.#reportKept();
  }

  /** Counts data for the round state that is not output too, such as a signature; negative when it is replaced. */
  countState(bytes: number): void {
    this.#keep({ stateBytes: this.#kept.stateBytes + bytes });
  }

  /** Counts an item, part or block of the response, whether it is emitted or ignored. Throws beyond BLOCKS_MAX. */
  countPiece(): void {
    if (++this.#pieces > BLOCKS_MAX) throw this.fail("The provider sent a response of too many items.");
  }

  #keep(changes: Partial<KeptPart>): void {
    this.#kept = { ...this.#kept, ...changes };
  }

  /** Output that waits is reported each time, as is the first state: the turn is charged for them if it ends now. */
  #hasKeptMore(): boolean {
    const [kept, reported] = [this.#kept, this.#reportedKept];
    const isNew = kept.waitingBytes !== reported.waitingBytes || (kept.stateBytes > 0 && reported.stateBytes === 0);
    return (isNew && this.progress === "running") || keptBytes(kept) - keptBytes(reported) >= KEPT_STEP_BYTES;
  }

  #reportKept(): void {
    this.#reportedKept = this.#kept;
    this.push(this.#kept);
  }

  /** Reports the usage of the response so far, which replaces an earlier one. */
  report(usage: Usage): void {
    this.#isReported = true;
    this.usage = this.#before.usage === null ? usage : addUsage(this.#before.usage, usage);
    this.push({ type: "usage", usage: this.usage });
  }

  /** Takes counts of the response so far, and reports them if they are whole. A later zero replaces no count. */
  count(counts: TokenCounts): void {
    this.warnOfUnknown(counts.unknown);
    this.#counts = mergeCounts(this.#counts, counts);
    const usage = usageOf(this.#counts, this.hasOutput);
    if (usage !== null) this.report(usage);
  }

  /** Warns once a round of a count that is not known. */
  warnOfUnknown(count: string | null): void {
    if (count === null || this.#hasUnknown) return;
    this.#hasUnknown = true;
    const message = `The provider counts "${this.clean(count.slice(0, 80))}", which is not known: these tokens are charged as input.`;
    this.push({ type: "warning", code: "usage_count_unknown", message, param: null });
  }

  /** Whether the response has output. */
  get hasOutput(): boolean {
    return this.outputCharacters > this.#before.output || this.reasoningCharacters > this.#before.reasoning;
  }

  /** Usage of the response, estimated from the characters so far. */
  estimate(): Usage {
    const input = countPromptCharacters(this.#round.prompt);
    const output = this.outputCharacters - this.#before.output;
    return estimateUsage({ input, output, reasoning: this.reasoningCharacters - this.#before.reasoning });
  }

  /** The last parts: the usage, with estimates for what the provider did not count, and the end. */
  finish(incompleteReason: string | null): void {
    const counts = this.#counts;
    if (counts === null ? !this.#isReported : usageOf(counts, this.hasOutput) === null) {
      this.report(counts === null ? this.estimate() : this.#complete(counts));
      this.push(counts === null ? ALL_ESTIMATED : PARTLY_ESTIMATED);
    }
    this.push({ type: "finished", incompleteReason });
  }

  /** The usage of incomplete counts. A zero beside a prompt or output is no count. */
  #complete({ input, output, cached, written, reasoning }: TokenCounts): Usage {
    const estimated = this.estimate();
    const isCounted = output !== null && (output > 0 || !this.hasOutput);
    return createUsage({
      input: input || Math.max(estimated.input_tokens, cached + written),
      cached,
      written,
      output: isCounted ? output : estimated.output_tokens,
      reasoning: isCounted ? reasoning : Math.max(reasoning, estimated.output_tokens_details.reasoning_tokens),
    });
  }

  /** The call_id of a call: the provider's own, or a new one if it is missing, in use or cannot be stored. */
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

  /**
   * The value of an event or document, its numbers with all their digits if `withDigits`; undefined if it is not JSON.
   */
  parse(text: string, withDigits = false): unknown {
    const excess = excessOf(text);
    if (excess !== null) throw this.fail(`The provider sent JSON that is ${excess}.`);
    return withDigits ? parseWithDigits(text) : parseJson(text);
  }

  /** The JSON object of an event. Null for anything else after the model's end, where nothing is missing. */
  parseEvent(data: string, withDigits = false): JsonObject | null {
    const value = this.parse(data, withDigits);
    if (isJsonObject(value)) return value;
    if (this.progress !== "running") return null;
    throw this.fail(`The provider sent an event that is not ${value === undefined ? "JSON" : "an object"}.`);
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
      flush: (bufferedBytes) => {
        decoder.beforeFlush?.();
        if (bufferedBytes !== this.#kept.bufferedBytes) this.#keep({ bufferedBytes });
        if (this.#hasKeptMore()) this.#reportKept();
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

function keptBytes({ waitingBytes, stateBytes, bufferedBytes }: KeptPart): number {
  return waitingBytes + stateBytes + bufferedBytes;
}
