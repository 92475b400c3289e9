// A call of a response, emitted as its arguments arrive.
import { countCharacters } from "../../contract/characters.ts";
import { GrowingText } from "../../base/growing-text.ts";
import type { RoundDecoding } from "./round-decoding.ts";
import { createTextCleaner, type TextCleaner } from "./text-cleaner.ts";

export class CallOutput {
  readonly index: number;
  /** The client's name of the tool. */
  readonly name: string;
  readonly callId: string;
  /** Length of the arguments received. */
  length = 0;
  isFinished = false;
  /** The arguments as emitted. */
  readonly #arguments = new GrowingText();
  readonly #decoding: RoundDecoding;
  readonly #cleaner: TextCleaner;
  /** Whether `{}` came first. */
  #hasEmptyObject = false;

  /** Begins a call with the name and the id that the provider sent. `index` is that of its parts. */
  constructor(decoding: RoundDecoding, index: number, sent: { name: string | null; id: string | null }) {
    this.#decoding = decoding;
    this.#cleaner = createTextCleaner(decoding.warnOfNul);
    this.index = index;
    this.name = decoding.readToolName(sent.name);
    this.callId = decoding.takeCallId(sent.id);
    decoding.outputCharacters += countCharacters(this.name);
    decoding.push({ type: "call_started", index, callId: this.callId, name: this.name });
  }

  /** Emits the next piece of the arguments. A first `{}` waits: from some servers it stands for those that follow. */
  add(piece: string): void {
    if (this.length > 0 || !saysNothing(piece)) this.#take(piece);
    else this.#hasEmptyObject ||= piece.trim() !== "";
  }

  #take(piece: string): void {
    this.length += piece.length;
    this.#decoding.outputCharacters += countCharacters(piece);
    this.#emit(this.#cleaner.clean(piece));
  }

  /** Whether these arguments begin with those emitted. Takes the time of these arguments, as `startsWith` does. */
  continuesWith(whole: string): boolean {
    return this.#arguments.isStartOf(whole);
  }

  /** Whether the arguments emitted begin with this text. */
  startsWith(text: string): boolean {
    return this.#arguments.startsWith(text);
  }

  /** Ends the arguments: emits what waits, also of an incomplete character, and returns them all. */
  end(): string {
    if (this.length === 0 && this.#hasEmptyObject) this.#take("{}");
    this.#emit(this.#cleaner.end());
    return this.#arguments.whole();
  }

  finish(): void {
    this.isFinished = true;
    this.#decoding.push({ type: "call_finished", index: this.index });
  }

  #emit(delta: string): void {
    if (delta === "") return;
    this.#arguments.add(delta);
    this.#decoding.push({ type: "call_arguments", index: this.index, delta });
  }
}

/** Whether arguments are `{}` or blank. */
export function saysNothing(callArguments: string): boolean {
  return /^\s*(?:\{\s*\}\s*)?$/.test(callArguments);
}
