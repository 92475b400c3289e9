// The steps of a simulated model, and how directives become steps.
import type { Prompt } from "../../core/response/prompt.ts";
import { parseJson } from "../../base/json.ts";
import { UPSTREAM_ERROR_CODES, type UpstreamErrorCode } from "../wire/error-codes.ts";
import { DIRECTIVES, type Directive } from "./directives.ts";
import { dumpHistory, dumpPrompt } from "./dump.ts";
import { createArguments, createInstance, createVisits } from "./instance.ts";
import { createMayCall } from "./tool-choice.ts";
import { COUNTS, type GivenCounts } from "./usage.ts";

export type Step =
  /** Deltas of text, `pauseMs` after each but the last. */
  | { readonly do: "say"; readonly deltas: Iterable<string>; readonly pauseMs: number }
  | { readonly do: "refuse"; readonly text: string }
  | { readonly do: "call"; readonly name: string; readonly arguments: string }
  | { readonly do: "reason"; readonly text: string }
  | { readonly do: "cite"; readonly url: string; readonly title: string }
  | { readonly do: "usage"; readonly usage: GivenCounts }
  | { readonly do: "state"; readonly state: unknown }
  | { readonly do: "wait"; readonly milliseconds: number }
  | { readonly do: "hang" }
  | { readonly do: "end"; readonly reason: string }
  | { readonly do: "fail"; readonly failure: FailStep };

export interface FailStep {
  readonly code: UpstreamErrorCode;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly certainlyNotRun: boolean;
}

export type StepContext = ReturnType<typeof createContext>;

/** Creates the input of a round's directives. Expensive values are built once, however many directives use them. */
export function createContext(modelId: string, prompt: Prompt) {
  const visits = createVisits();
  const tools = once(() => new Map(prompt.tools.map((tool) => [tool.name, tool.parameters] as const).reverse()));
  const known = new Map<string, string>();
  const mayCall = createMayCall(prompt);
  /** The default arguments of a tool. */
  const argumentsOf = (toolName: string): string => {
    const made = known.get(toolName) ?? JSON.stringify(createArguments(tools().get(toolName) ?? null, visits));
    known.set(toolName, made);
    return made;
  };
  return {
    mayCall,
    argumentsOf,
    /** Every tool that may be called, with its arguments. */
    *allowedCalls() {
      for (const { name } of prompt.tools) if (mayCall(name)) yield { name, arguments: argumentsOf(name) };
    },
    /** An instance of the json_schema format as JSON; `{}` without one. */
    instance: once(() => {
      const { format } = prompt;
      return JSON.stringify(
        format !== null && format.type === "json_schema" ? createInstance(format.schema, visits) : {},
      );
    }),
    history: once(() => dumpHistory(prompt)),
    prompt: once(() => dumpPrompt(modelId, prompt)),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Thrown for a malformed directive. The message quotes it and gives its syntax. */
export class DirectiveError extends Error {
  override readonly name = "DirectiveError";
}

/** The steps of one directive, in order. Throws a DirectiveError. */
export function createSteps(directive: Directive, context: StepContext): Iterable<Step> {
  const { rest } = directive;
  switch (directive.word) {
    case "say":
      return [say(readText(rest))];
    case "stream":
      return [readStream(directive)];
    case "tool":
      return readTool(directive, context);
    case "tools":
      return Array.from(context.allowedCalls(), (call) => ({ do: "call", ...call }));
    case "refuse":
      return [{ do: "refuse", text: readText(rest) }];
    case "json":
      return [say(rest === "" ? context.instance() : rest)];
    case "reason":
      return [{ do: "reason", text: rest === "" ? "The input asks for an answer, so one is given." : readText(rest) }];
    case "cite":
      return [readCite(directive)];
    case "usage":
      return [{ do: "usage", usage: readUsage(directive) }];
    case "incomplete":
      return [readIncomplete(directive)];
    case "fail":
      return [{ do: "fail", failure: readFail(directive) }];
    case "wait":
      return [{ do: "wait", milliseconds: readNumber(directive, rest, WAIT_MS_MAX) }];
    case "hang":
      return [{ do: "hang" }];
    case "history":
      return [say(context.history())];
    case "prompt":
      return [say(context.prompt())];
    case "state":
      return [{ do: "state", state: { simulated: readText(rest) } }];
    case "then":
      return [];
    default:
      return directive.word satisfies never;
  }
}

/** A step that streams a text in deltas of one word. */
export function say(text: string): Step {
  return { do: "say", deltas: { [Symbol.iterator]: () => splitWords(text) }, pauseMs: 0 };
}

function* splitWords(text: string): Generator<string> {
  for (const [word] of text.matchAll(/\S+\s*|\s+/g)) yield word;
}

const WAIT_MS_MAX = 3_600_000;
const DELTAS_MAX = 1_000_000;
const DELTA_CHARACTERS_MAX = 1_000_000;

/** Longest quote of a directive in an error, characters. */
const QUOTED_CHARACTERS_MAX = 200;

function malformed({ word, rest }: Directive): DirectiveError {
  const written = `/${word}${rest === "" ? "" : ` ${rest.slice(0, QUOTED_CHARACTERS_MAX)}`}`;
  return new DirectiveError(`"${written}" is not understood; write ${DIRECTIVES[word]}.`);
}

function readNumber(directive: Directive, text: string | undefined, most: number): number {
  if (text === undefined || !/^\d{1,7}$/.test(text) || Number(text) > most) throw malformed(directive);
  return Number(text);
}

/** A JSON string, which may contain line breaks, is parsed; any other text is taken literally. */
function readText(rest: string): string {
  const value = rest.startsWith('"') ? parseJson(rest) : undefined;
  return typeof value === "string" ? value : rest;
}

/** The first word, and the text after it, if there is any. */
function readWord(directive: Directive): [string, string | undefined] {
  const [, word, rest] = /^(\S+)(?:\s+(.*))?$/s.exec(directive.rest) ?? [];
  if (word === undefined) throw malformed(directive);
  return [word, rest];
}

function readStream(directive: Directive): Step {
  const [count, milliseconds = "0", characters] = directive.rest.split(/\s+/);
  const deltaCount = readNumber(directive, count, DELTAS_MAX);
  const size = characters === undefined ? null : readNumber(directive, characters, DELTA_CHARACTERS_MAX);
  const pauseMs = readNumber(directive, milliseconds, WAIT_MS_MAX);
  return { do: "say", deltas: numberedDeltas(deltaCount, size), pauseMs };
}

/** `1 2 3 …`, each padded with dots or cut to the size if one is given. */
function* numberedDeltas(count: number, size: number | null): Generator<string> {
  for (let number = 1; number <= count; number++) {
    const text = `${number} `;
    yield size === null ? text : text.padStart(size, ".").slice(-size || text.length);
  }
}

function readTool(directive: Directive, context: StepContext): readonly Step[] {
  const [name, callArguments] = readWord(directive);
  if (!context.mayCall(name)) return [say(`tool_choice does not allow a call of ${name}.`)];
  // Sent as written, even if not JSON, so that clients can test arguments that they cannot parse.
  return [{ do: "call", name, arguments: callArguments ?? context.argumentsOf(name) }];
}

function readCite(directive: Directive): Step {
  const [url, title = url] = readWord(directive);
  return { do: "cite", url, title };
}

/** Parses `name=value` pairs with the given names. */
function readPairs(
  directive: Directive,
  words: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const [name, value] = word.split("=");
    if (name === undefined || value === undefined || !names.includes(name)) throw malformed(directive);
    pairs.set(name, value);
  }
  return pairs;
}

function readUsage(directive: Directive): GivenCounts {
  const pairs = readPairs(directive, directive.rest.split(/\s+/).filter(Boolean), COUNTS);
  return Object.fromEntries(Array.from(pairs, ([name, text]) => [name, readNumber(directive, text, 9_999_999)]));
}

function readIncomplete(directive: Directive): Step {
  const reason = directive.rest === "" ? "max_output_tokens" : directive.rest;
  if (reason !== "max_output_tokens" && reason !== "content_filter") {
    throw new DirectiveError(
      `"/incomplete ${reason.slice(0, QUOTED_CHARACTERS_MAX)}" is not understood; REASON is max_output_tokens or content_filter.`,
    );
  }
  return { do: "end", reason };
}

/** The provider's status for each code; null if it sends no response. */
const FAIL_STATUSES: Readonly<Record<UpstreamErrorCode, number | null>> = {
  provider_client_error: 400,
  provider_error: 200,
  provider_overloaded: 529,
  provider_rate_limited: 429,
  provider_unavailable: 503,
  end_user_blocked: 403,
  canceled: null,
};

function readFail(directive: Directive): FailStep {
  const [code, ...words] = directive.rest.split(/\s+/);
  const known = UPSTREAM_ERROR_CODES.find((one) => one === code);
  if (known === undefined) {
    throw new DirectiveError(
      `"/fail ${code?.slice(0, QUOTED_CHARACTERS_MAX) ?? ""}" is not understood; CODE is one of ${UPSTREAM_ERROR_CODES.join(", ")}.`,
    );
  }
  const pairs = readPairs(directive, words, ["retry_after", "status", "not_run"]);
  const retryAfter = pairs.get("retry_after");
  const status = pairs.get("status");
  return {
    code: known,
    status: status === undefined ? FAIL_STATUSES[known] : readNumber(directive, status, 599),
    retryAfterSeconds: retryAfter === undefined ? null : readNumber(directive, retryAfter, 86_400),
    certainlyNotRun: pairs.get("not_run") === "yes",
  };
}
