// Every stream of every wire is recorded in the same shape, and without its content.
import assert from "node:assert/strict";
import test from "node:test";
import { FAMILIES } from "../../src/providers/families.ts";
import { maskBody } from "../../src/providers/recording/mask-body.ts";
import { createMask } from "../../src/providers/recording/mask.ts";
import type { Decoded } from "../support/read-response.ts";
import { CORPUS as MESSAGES } from "./anthropic/corpus.ts";
import { decodeBytes as decodeMessages } from "./anthropic/decode-bytes.ts";
import { CORPUS as CHAT } from "./corpus.ts";
import { decodeBytes as decodeChat } from "./decode-bytes.ts";
import { CORPUS as CONTENT } from "./gemini/corpus.ts";
import { decodeBytes as decodeContent } from "./gemini/decode-bytes.ts";
import { CORPUS as RESPONSES } from "./openai/corpus.ts";
import { decodeBytes as decodeResponses } from "./openai/decode-bytes.ts";

interface Stream {
  readonly name: string;
  readonly bodies: readonly Buffer[];
}

const single = (corpus: readonly { name: string; bytes: Buffer }[]): readonly Stream[] =>
  corpus.map(({ name, bytes }) => ({ name, bodies: [bytes] }));

const WIRES: readonly (readonly [string, readonly Stream[], (bodies: readonly Buffer[]) => Decoded])[] = [
  ["anthropic", single(MESSAGES), (bodies) => decodeMessages(bodies)],
  ["openai", single(RESPONSES), (bodies) => decodeResponses(bodies)],
  ["openai-compatible", single(CHAT), (bodies) => decodeChat(bodies)],
  [
    "gemini",
    CONTENT.map(({ name, responses }) => ({ name, bodies: responses })),
    (bodies) => decodeContent(bodies.map((body) => [body])),
  ],
];

/** Fields whose values a recording keeps. */
const KEPT = new Set(["type", "callId", "code", "param", "incompleteReason", "phase"]);

/**
 * Nothing in them says which text a delta continues, or only a text that is replaced: `turngate record` reports that
 * their replay differs.
 */
const UNCLEAR = new Set([
  "bent-ids-drift-no-index",
  "bent-index-as-string",
  "bent-no-names",
  "bent-content-index-grows",
  "bent-same-tool-twice",
]);

for (const [type, streams, decode] of WIRES) {
  const fields = await FAMILIES.find((family) => family.type === type)?.loadRecordedFields?.();
  assert.ok(fields !== undefined);
  for (const { name, bodies } of streams) {
    // With the same key each body is replaced as part of one recording.
    const masked = () => {
      const mask = createMask(Buffer.from(name));
      return bodies.map((body) => maskBody(body, fields, mask));
    };

    test(`${type}: the recording of ${name} decodes to parts of the same shape`, () => {
      assert.deepEqual(
        masked().map(({ length }) => length),
        bodies.map(({ length }) => length),
      );
      const original = decode(bodies);
      const recorded = decode(masked());
      const compare = UNCLEAR.has(name) ? assert.notDeepEqual : assert.deepEqual;
      compare(shapeOf(recorded.parts), shapeOf(original.parts));
      assert.equal(recorded.failure?.code, original.failure?.code);
      assert.equal(recorded.failure?.isPromptTooLong, original.failure?.isPromptTooLong);
    });

    test(`${type}: the recording of ${name} has none of its words`, () => {
      const text = Buffer.concat(masked()).toString("utf8").toLowerCase();
      for (const word of wordsOf(decode(bodies).parts)) assert.ok(!text.includes(word.toLowerCase()), word);
    });
  }
}

/** Parts with the lengths of their texts in place of them. */
function shapeOf(value: unknown, field = ""): unknown {
  if (typeof value === "string") return KEPT.has(field) ? value : `${value.length} characters`;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => shapeOf(entry, field));
  // The names of arguments are replaced too.
  if (field === "args") return JSON.stringify(value).length;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner, name)]));
}

/** The words of six letters and more that a model has said. */
function wordsOf(parts: Decoded["parts"]): readonly string[] {
  const said = parts.map((part) => (part.type === "text" || part.type === "refusal" ? part.text : "")).join("");
  const called = parts.map((part) => (part.type === "call_arguments" ? part.delta : "")).join("");
  return `${said} ${called}`.match(/\p{L}{6,}/gu) ?? [];
}
