// Replaces the content of JSON texts: of one document, or of the events of a stream, whose deltas are replaced as the one
// text that they are.
import { isJsonObject, parseJson, type JsonObject } from "../../base/json.ts";
import { createRules, type RecordedFields, type Rule } from "./fields.ts";
import { scanJson, type Step, type Token } from "./json-scan.ts";
import { rewrite, type Unit, unitsOf } from "./literal.ts";
import type { Mask } from "./mask.ts";

/** A text that is replaced in place. */
export interface Draft {
  readonly text: string;
  /** What takes the place of each character. */
  readonly made: string[];
}

export function draftOf(text: string): Draft {
  return { text, made: text.split("") };
}

export function textOf({ made }: Draft): string {
  return made.join("");
}

/** Values of these fields tell which text a delta continues; ids only where there are no indexes, since some servers change them. */
const PLACES = ["index", "output_index", "content_index", "summary_index", "thought"] as const;
/** A delta that begins with all that came before, if that is so long, is no delta: some servers repeat the whole text. */
const REPEATED_CHARACTERS = 2;

/** A piece of a text: its units, in the document that they stand in. */
interface Piece {
  readonly draft: Draft;
  readonly units: readonly Unit[];
}

/** A text that has come in pieces so far. */
interface OpenText {
  readonly pieces: Piece[];
  text: string;
}

/** Replaces the content of documents of one wire, in order. `done` is to be called after the last one. */
export function createJsonMask(mask: Mask, fields: RecordedFields) {
  const rules = createRules(fields);
  const open = new Map<string, OpenText>();

  function add(draft: Draft): void {
    const document = parseJson(draft.text);
    for (const token of scanJson(draft.text)) {
      if (token.kind === "string" && document !== undefined && rules.isDelta(token.path)) {
        const key = placeOf(document, token.path);
        const piece = { draft, units: unitsOf(draft.text, token.start, token.end) };
        const text = valueOf(piece.units);
        const before = open.get(key);
        const repeats = before !== undefined && isRepeated(before.text, text);
        if (repeats) finish(before);
        if (before === undefined || repeats) open.set(key, { pieces: [piece], text });
        else {
          before.pieces.push(piece);
          before.text += text;
        }
      } else maskToken(draft, token, rules, mask);
    }
  }

  function finish({ pieces, text }: OpenText): void {
    const made = maskContent(text, mask);
    let at = 0;
    for (const { draft, units } of pieces) {
      write(draft, units, made.slice(at, at + units.length));
      at += units.length;
    }
  }

  return {
    add,
    done(): void {
      for (const text of open.values()) finish(text);
      open.clear();
    },
  };
}

/** Replaces content: a text that is JSON by its values. */
export function maskContent(text: string, mask: Mask): string {
  if (!/^\s*[[{]\s*(?:["\]}{[\d-]|$)/.test(text)) return mask.text(text);
  const draft = draftOf(text);
  for (const token of scanJson(text)) maskToken(draft, token, VALUE_RULES, mask);
  return textOf(draft);
}

const NONE: RecordedFields = { kept: [], names: [], schemas: [], values: [], deltas: [], messages: [], headers: [] };
const VALUE_RULES = createRules(NONE, "value");

function maskToken(draft: Draft, token: Token, rules: ReturnType<typeof createRules>, mask: Mask): void {
  const { kind, start, end, path } = token;
  const raw = draft.text.slice(start, end);
  if (kind === "number" || kind === "word") {
    const made = kind === "word" ? mask.text(raw) : apply(rules.ofNumber(path), raw, mask);
    for (let at = start; at < end; at++) draft.made[at] = made[at - start] ?? "";
    return;
  }
  const units = unitsOf(draft.text, start, end);
  const value = valueOf(units);
  write(draft, units, apply(kind === "key" ? rules.ofKey(path, value) : rules.ofString(path, value), value, mask));
}

function apply(rule: Rule, value: string, mask: Mask): string {
  switch (rule) {
    case "keep":
      return value;
    case "text":
      return maskContent(value, mask);
    case "reference":
      return value.replace(/(?<=\/(?:\$defs|definitions|properties)\/)[^/]+/g, (name) => mask.name(name));
    case "name":
    case "number":
    case "message":
    case "pattern":
      return mask[rule](value);
    default:
      return rule satisfies never;
  }
}

function write({ text, made }: Draft, units: readonly Unit[], values: string): void {
  for (const [index, unit] of units.entries()) {
    const written = rewrite(text, unit, values[index] ?? unit.value);
    for (let at = 0; at < unit.length; at++) made[unit.at + at] = written[at] ?? "";
  }
}

function valueOf(units: readonly Unit[]): string {
  return units.map(({ value }) => value).join("");
}

/** Names the text that a delta is a part of: its path, with what the objects on it say of their place. */
function placeOf(document: unknown, path: readonly Step[]): string {
  const names: unknown[] = isJsonObject(document) ? [document["type"]] : [];
  let here = document;
  for (const step of path) {
    const place = isJsonObject(here) ? placeWords(here) : [];
    names.push(place, typeof step === "number" && indexOf(here, step) !== undefined ? null : step);
    here = (here as Record<Step, unknown>)[step];
  }
  return JSON.stringify(names);
}

function indexOf(list: unknown, step: number): unknown {
  const entry: unknown = Array.isArray(list) ? list[step] : undefined;
  return isJsonObject(entry) ? entry["index"] : undefined;
}

function placeWords(object: JsonObject): readonly unknown[] {
  const places = PLACES.map((field) => (isJsonObject(object[field]) ? null : (object[field] ?? null)));
  return object["output_index"] === undefined ? [...places, object["item_id"] ?? null] : places;
}

function isRepeated(before: string, text: string): boolean {
  return before.length >= REPEATED_CHARACTERS && text.length > before.length && text.startsWith(before);
}
