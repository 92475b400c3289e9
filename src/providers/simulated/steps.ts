// What a simulated model does, step by step, and how each directive becomes steps.
import type { Prompt } from "../../core/turn/prompt.ts";
import { parseJson } from "../json-shape.ts";
import { PROVIDER_FAILURE_CODES, type ProviderFailureCode } from "../verdict.ts";
import { DIRECTIVES, type Directive } from "./directives.ts";
import { dumpHistory, dumpPrompt } from "./dump.ts";
import { createArguments, createInstance } from "./instance.ts";
import { mayCall } from "./tool-choice.ts";
import type { UsageOverride } from "./usage.ts";

export type Step =
  /** Deltas of text, `pauseMs` after each but the last. */
  | { readonly do: "say"; readonly deltas: Iterable<string>; readonly pauseMs: number }
  | { readonly do: "refuse"; readonly text: string }
  | { readonly do: "call"; readonly name: string; readonly arguments: string }
  | { readonly do: "reason"; readonly text: string }
  | { readonly do: "cite"; readonly url: string; readonly title: string }
  | { readonly do: "usage"; readonly usage: UsageOverride }
  | { readonly do: "state"; readonly state: unknown }
  | { readonly do: "wait"; readonly milliseconds: number }
  | { readonly do: "hang" }
  | { readonly do: "end"; readonly reason: string }
  | { readonly do: "fail"; readonly failure: FailStep };

export interface FailStep {
  readonly code: ProviderFailureCode;
  readonly message: string | null;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly certainlyNotRun: boolean;
}

/** What the steps of a directive may depend on. */
export interface StepContext {
  readonly prompt: Prompt;
  readonly modelId: string;
}

/** A directive that is written wrongly: the message names it and how it is written. */
export class DirectiveError extends Error {
  override readonly name = "DirectiveError";
}

/** Steps of one directive, in order. Throws a DirectiveError. */
export function createSteps(directive: Directive, context: StepContext): readonly Step[] {
  const { rest } = directive;
  switch (directive.word) {
    case "say":
      return [say(readText(rest))];
    case "stream":
      return [readStream(directive)];
    case "tool":
      return readTool(directive, context);
    case "tools":
      return context.prompt.tools
        .filter((tool) => mayCall(context.prompt, tool.name))
        .map(({ name, parameters }) => ({ do: "call", name, arguments: JSON.stringify(createArguments(parameters)) }));
    case "refuse":
      return [{ do: "refuse", text: readText(rest) }];
    case "json":
      return [say(rest === "" ? instanceText(context.prompt) : rest)];
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
      return [{ do: "wait", milliseconds: readNumber(directive, rest, WAIT_MILLISECONDS_MAX) }];
    case "hang":
      return [{ do: "hang" }];
    case "history":
      return [say(dumpHistory(context.prompt))];
    case "prompt":
      return [say(dumpPrompt(context.modelId, context.prompt))];
    case "state":
      return [{ do: "state", state: { simulated: readText(rest) } }];
    case "then":
      return [];
    default:
      return directive.word satisfies never;
  }
}

/** A text in deltas of one word each. */
export function say(text: string): Step {
  return { do: "say", deltas: text.match(/\S+\s*|\s+/g) ?? [], pauseMs: 0 };
}

/** The text of an answer that a json_schema format asks for; `{}` without one. */
export function instanceText({ format }: Prompt): string {
  return JSON.stringify(format !== null && format.type === "json_schema" ? createInstance(format.schema) : {});
}

const WAIT_MILLISECONDS_MAX = 3_600_000;
const DELTAS_MAX = 1_000_000;
const DELTA_CHARACTERS_MAX = 1_000_000;

function wrong({ word, rest }: Directive): DirectiveError {
  return new DirectiveError(`"/${word}${rest === "" ? "" : ` ${rest}`}" is not understood; write ${DIRECTIVES[word]}.`);
}

function readNumber(directive: Directive, text: string | undefined, most: number): number {
  if (text === undefined || !/^\d{1,7}$/.test(text) || Number(text) > most) throw wrong(directive);
  return Number(text);
}

/** A text in JSON's quotes may hold line breaks; any other is taken as it stands. */
function readText(rest: string): string {
  const value = rest.startsWith('"') ? parseJson(rest) : undefined;
  return typeof value === "string" ? value : rest;
}

function readStream(directive: Directive): Step {
  const [count, milliseconds = "0", characters] = directive.rest.split(/\s+/);
  const deltaCount = readNumber(directive, count, DELTAS_MAX);
  const size = characters === undefined ? null : readNumber(directive, characters, DELTA_CHARACTERS_MAX);
  const pauseMs = readNumber(directive, milliseconds, WAIT_MILLISECONDS_MAX);
  return { do: "say", deltas: numberedDeltas(deltaCount, size), pauseMs };
}

/** `1 2 3 …`, each filled up with dots, or cut, to the size when one is given. */
function* numberedDeltas(count: number, size: number | null): Generator<string> {
  for (let number = 1; number <= count; number++) {
    const text = `${number} `;
    yield size === null ? text : text.padStart(size, ".").slice(-size || text.length);
  }
}

function readTool(directive: Directive, { prompt }: StepContext): readonly Step[] {
  const match = /^(\S+)(?:\s+(.*))?$/s.exec(directive.rest);
  const name = match?.[1];
  if (name === undefined) throw wrong(directive);
  if (!mayCall(prompt, name)) return [say(`tool_choice does not allow a call of ${name}.`)];
  const given = match?.[2];
  // As written, also when it is no JSON: that is how a client meets arguments it cannot parse.
  if (given !== undefined) return [{ do: "call", name, arguments: given }];
  const tool = prompt.tools.find((offered) => offered.name === name);
  return [{ do: "call", name, arguments: JSON.stringify(createArguments(tool?.parameters ?? null)) }];
}

function readCite(directive: Directive): Step {
  const match = /^(\S+)(?:\s+(.*))?$/s.exec(directive.rest);
  const url = match?.[1];
  if (url === undefined) throw wrong(directive);
  return { do: "cite", url, title: match?.[2] ?? url };
}

/** `name=value` pairs, only the names allowed. */
function readPairs(
  directive: Directive,
  words: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const [name, value] = word.split("=");
    if (name === undefined || value === undefined || !names.includes(name)) throw wrong(directive);
    pairs.set(name, value);
  }
  return pairs;
}

function readUsage(directive: Directive): UsageOverride {
  const names = ["input", "output", "cached", "write", "reasoning"] as const;
  const pairs = readPairs(directive, directive.rest.split(/\s+/).filter(Boolean), names);
  const count = (name: (typeof names)[number]) => {
    const text = pairs.get(name);
    return text === undefined ? null : readNumber(directive, text, 9_999_999);
  };
  return {
    input: count("input"),
    output: count("output"),
    cached: count("cached"),
    write: count("write"),
    reasoning: count("reasoning"),
  };
}

function readIncomplete(directive: Directive): Step {
  const reason = directive.rest === "" ? "max_output_tokens" : directive.rest;
  if (reason !== "max_output_tokens" && reason !== "content_filter") {
    throw new DirectiveError(
      `"/incomplete ${reason}" is not understood; REASON is max_output_tokens or content_filter.`,
    );
  }
  return { do: "end", reason };
}

/** What a provider answers with each code, where it answers at all. */
const FAIL_STATUSES: Readonly<Record<ProviderFailureCode, number | null>> = {
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
  const known = PROVIDER_FAILURE_CODES.find((one) => one === code);
  if (known === undefined) {
    throw new DirectiveError(
      `"/fail ${code ?? ""}" is not understood; CODE is one of ${PROVIDER_FAILURE_CODES.join(", ")}.`,
    );
  }
  const pairs = readPairs(directive, words, ["retry_after", "status", "not_run"]);
  const retryAfter = pairs.get("retry_after");
  const status = pairs.get("status");
  return {
    code: known,
    message: null,
    status: status === undefined ? FAIL_STATUSES[known] : readNumber(directive, status, 599),
    retryAfterSeconds: retryAfter === undefined ? null : readNumber(directive, retryAfter, 86_400),
    certainlyNotRun: pairs.get("not_run") === "yes",
  };
}
