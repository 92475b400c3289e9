// Scans a large JSON body in steps and builds only the selected parts. Everything else is checked and skipped: it never
// becomes a value, however long or deep it is. docs/decisions/bodies.md
import { invalidInput, type ApiError } from "../../../contract/errors.ts";
import { JSON_DEPTH_MAX, JSON_NUMBER_CHARACTERS_MAX, JSON_VALUES_MAX } from "../../../contract/limits.ts";
import { readNumberExactly } from "../../../base/exact-json.ts";
import * as json from "./json-lexer.ts";
import { PathTracker } from "./path-tracker.ts";
import type { Selection } from "./selection.ts";
import { ValueBuilder } from "./value-builder.ts";

/** What the grammar allows next; `string`: the rest of an open string. */
type Expected = "value" | "value_or_end" | "key" | "key_or_end" | "colon" | "comma_or_end" | "string" | "nothing";

/** The string that is being scanned. */
interface OpenString extends json.StringNotes {
  isKey: boolean;
  isSelected: boolean;
  /** Start of the characters that are not in `pieces` yet. */
  from: number;
  pieces: string[];
}

/** The UTF-8 byte order mark, which some programs send first. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
/** Within a string a byte order mark is an ordinary character. */
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

/** Longest key of the contract if each of its letters were escaped. */
const KEY_BYTES_MAX = 6 * 64;

export class BodyScanner {
  readonly #bytes: Uint8Array;
  readonly #path: PathTracker;
  readonly #builder: ValueBuilder;
  /** Depth of the object or array that is being skipped; 0: none is. */
  #skippedDepth = 0;
  readonly #string: OpenString = {
    isKey: false,
    isSelected: false,
    from: 0,
    pieces: [],
    end: 0,
    hasEnded: false,
    hasEscapes: false,
    hasNul: false,
    hasLoneSurrogate: false,
  };
  #at = 0;
  #expected: Expected = "value";
  #valuesRead = 0;
  #bytesRead = 0;
  /**
   * The first U+0000, else the first error in a selected part. It is thrown at the end of the body, because a syntax
   * error takes precedence. Nothing more is built once it is set.
   */
  #fault: ApiError | null = null;
  #foundNul = false;

  constructor(bytes: Uint8Array, selection: Selection) {
    this.#bytes = bytes;
    this.#path = new PathTracker(bytes);
    this.#builder = new ValueBuilder(selection);
    if (BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte)) this.#at = BYTE_ORDER_MARK.length;
  }

  /** The value of the body, once the scan is complete. */
  get value(): unknown {
    return this.#builder.value;
  }

  /** Whether the body has only white space so far. */
  get isBlank(): boolean {
    return this.#expected === "value" && this.#path.depth === 0;
  }

  /** Bytes of the body that became values. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /**
   * Scans about `bytesMax` more bytes; true when the scan is complete. Throws 400 `invalid_input`. `param` is null for
   * a syntax error; it is the top-level field for U+0000 anywhere and, in selected parts, for lone surrogates, too much
   * depth and too many values.
   */
  step(bytesMax: number): boolean {
    const bytes = this.#bytes;
    const stop = Math.min(bytes.length, this.#at + bytesMax);
    try {
      while (this.#at < stop) {
        const byte = bytes[this.#at] as number;
        if (this.#expected === "string") this.#scanString(stop);
        else if (json.isSpace(byte)) this.#at++;
        else this.#scanToken(byte, stop);
      }
      if (stop < bytes.length) return false;
      if (this.#expected !== "nothing" && !this.isBlank) throw new json.NotJson(bytes.length);
    } catch (error) {
      throw error instanceof json.NotJson ? this.#syntaxError(error) : error;
    }
    if (this.#fault !== null) throw this.#fault;
    return true;
  }

  #scanToken(byte: number, stop: number): void {
    switch (this.#expected) {
      case "value_or_end":
        if (byte === json.CLOSING_BRACKET) this.#close();
        else this.#scanValue(byte, stop);
        break;
      case "value":
        this.#scanValue(byte, stop);
        break;
      case "key_or_end":
        if (byte === json.CLOSING_BRACE) this.#close();
        else this.#scanKey(byte, stop);
        break;
      case "key":
        this.#scanKey(byte, stop);
        break;
      case "colon":
        if (byte !== json.COLON) throw new json.NotJson(this.#at);
        this.#at++;
        this.#expected = "value";
        break;
      case "comma_or_end":
        this.#scanCommaOrEnd(byte);
        break;
      default:
        throw new json.NotJson(this.#at);
    }
  }

  #scanCommaOrEnd(byte: number): void {
    const { isList } = this.#path;
    if (byte === (isList ? json.CLOSING_BRACKET : json.CLOSING_BRACE)) this.#close();
    else if (byte === json.COMMA) {
      this.#at++;
      this.#expected = isList ? "value" : "key";
    } else throw new json.NotJson(this.#at);
  }

  #scanKey(byte: number, stop: number): void {
    if (byte !== json.QUOTE) throw new json.NotJson(this.#at);
    this.#path.keyStarts(this.#at);
    this.#openString(true, this.#skippedDepth === 0, stop);
  }

  #scanValue(byte: number, stop: number): void {
    if (this.#path.isList) this.#path.nextElement();
    const selection = this.#skippedDepth > 0 ? undefined : this.#builder.next();
    if (selection !== undefined && this.#fault === null) this.#countValue();
    if (byte === json.OPENING_BRACE || byte === json.OPENING_BRACKET) {
      this.#open(byte === json.OPENING_BRACKET, selection);
    } else if (byte === json.QUOTE) this.#openString(false, selection !== undefined, stop);
    else this.#scanScalar(selection);
  }

  #openString(isKey: boolean, isSelected: boolean, stop: number): void {
    const string = this.#string;
    string.isKey = isKey;
    string.isSelected = isSelected;
    if (string.pieces.length > 0) string.pieces = [];
    string.hasEscapes = false;
    string.hasNul = false;
    string.hasLoneSurrogate = false;
    string.from = ++this.#at;
    this.#expected = "string";
    this.#scanString(stop);
  }

  /** Scans the open string to its end or to `stop`: a long string is decoded in pieces. */
  #scanString(stop: number): void {
    const string = this.#string;
    json.scanString(this.#bytes, this.#at, stop, string);
    this.#at = string.end;
    if (string.isKey) this.#path.keyEnds(this.#at);
    if (string.hasNul && !this.#foundNul) {
      this.#foundNul = true;
      this.#fault = this.#characterError("the character U+0000", string.isKey);
    }
    if (string.hasEnded) this.#closeString();
    else if (this.#keepsString()) string.pieces.push(this.#piece(this.#at));
  }

  #keepsString(): boolean {
    const { isKey, isSelected, from } = this.#string;
    if (!isSelected || this.#fault !== null) return false;
    return !isKey || this.#builder.takesAllKeys || this.#at - from <= KEY_BYTES_MAX;
  }

  #closeString(): void {
    const string = this.#string;
    const { isKey, isSelected, pieces } = string;
    let text = this.#keepsString() ? this.#piece(this.#at - 1) : undefined;
    if (text !== undefined && pieces.length > 0) text = [...pieces, text].join("");
    if (isKey) this.#closeKey(text);
    else {
      if (string.hasLoneSurrogate && isSelected) this.#fault ??= this.#characterError("half a surrogate pair", false);
      if (isSelected) this.#attach(text);
      this.#valueEnds();
    }
  }

  #closeKey(key: string | undefined): void {
    this.#expected = "colon";
    if (this.#skippedDepth > 0) return;
    if (this.#string.hasLoneSurrogate && this.#builder.takesAllKeys) {
      this.#fault ??= this.#characterError("half a surrogate pair", true);
    }
    this.#builder.key(key);
  }

  /** Decodes the characters of the open string that are not in a piece yet. */
  #piece(end: number): string {
    const string = this.#string;
    const { from, hasEscapes } = string;
    this.#bytesRead += end - from;
    string.from = end;
    const text = this.#decode(from, end);
    return hasEscapes ? JSON.parse(`"${text}"`) : text;
  }

  #scanScalar(selection: Selection | undefined): void {
    const start = this.#at;
    this.#at = json.endOfScalar(this.#bytes, start);
    if (selection !== undefined && this.#fault === null) {
      if (this.#at - start > JSON_NUMBER_CHARACTERS_MAX) {
        this.#noteFault(`holds a number of more than ${JSON_NUMBER_CHARACTERS_MAX} characters`);
      } else {
        const text = this.#decode(start, this.#at);
        this.#bytesRead += text.length;
        this.#attach(selection.isWhole === true ? readNumberExactly(text) : JSON.parse(text));
      }
    }
    this.#valueEnds();
  }

  #open(isList: boolean, selection: Selection | undefined): void {
    this.#at++;
    this.#path.enter(isList);
    this.#expected = isList ? "value_or_end" : "key_or_end";
    if (this.#skippedDepth > 0) return;
    const { depth } = this.#path;
    if (selection === undefined) {
      this.#skippedDepth = depth;
      return;
    }
    const holder = isList ? [] : {};
    this.#attach(holder);
    if (selection.isWhole === true && depth > JSON_DEPTH_MAX) {
      this.#noteFault(`is nested deeper than ${JSON_DEPTH_MAX} levels`);
    }
    if (!this.#builder.open(selection, holder, depth)) this.#skippedDepth = depth;
  }

  #close(): void {
    this.#at++;
    if (this.#skippedDepth === 0) this.#builder.close();
    else if (this.#skippedDepth === this.#path.depth) this.#skippedDepth = 0;
    this.#path.leave();
    this.#valueEnds();
  }

  #valueEnds(): void {
    this.#expected = this.#path.depth === 0 ? "nothing" : "comma_or_end";
  }

  #attach(value: unknown): void {
    if (this.#fault === null) this.#builder.attach(value);
  }

  #countValue(): void {
    if (++this.#valuesRead > JSON_VALUES_MAX) {
      this.#noteFault(`brings the request to more than ${JSON_VALUES_MAX} values (strings, numbers, arrays, objects)`);
    }
  }

  #noteFault(problem: string): void {
    const { field } = this.#path;
    this.#fault ??= invalidInput(field, `${field ?? "The request body"} ${problem}.`);
  }

  #characterError(character: string, isKey: boolean): ApiError {
    const message = `${this.#path.name(isKey)} contains ${character}, which no string of a request may contain.`;
    return invalidInput(this.#path.field, message);
  }

  #syntaxError({ at, isNotUtf8 }: json.NotJson): ApiError {
    if (isNotUtf8) return invalidInput(null, "The request body is not valid UTF-8.");
    // The position counts characters, as an editor does.
    return invalidInput(null, `The request body is not valid JSON (at position ${this.#decode(0, at).length}).`);
  }

  #decode(start: number, end: number): string {
    return TEXT.decode(this.#bytes.subarray(start, end));
  }
}
