// Plans the steps of a simulated model in one round, from its model and prompt alone.
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import { DIRECTIVES_MAX, type DirectiveWord, readSections, type Section } from "./directives.ts";
import { createContext, createSteps, say, type Step, type StepContext } from "./steps.ts";
import { forcedTool } from "./tool-choice.ts";

/** Directives that replace the default output; beside all others the text is echoed as well. */
const OUTPUTS: ReadonlySet<DirectiveWord> = new Set<DirectiveWord>([
  "say",
  "stream",
  "tool",
  "tools",
  "refuse",
  "json",
  "fail",
  "hang",
  "history",
  "prompt",
]);
/** Directives that need output before them. */
const AFTERTHOUGHTS: ReadonlySet<DirectiveWord> = new Set<DirectiveWord>(["cite", "incomplete"]);
/** Directives of a model that apply in the first round only: else it would call tools forever. */
const FIRST_ROUND_ONLY: ReadonlySet<DirectiveWord> = new Set<DirectiveWord>(["tool", "tools"]);

/**
 * Plans a round: the model's own directives (`ownText`) first, then those of the newest user message for this round.
 * Throws a DirectiveError.
 */
export function plan(call: { modelId: string; ownText: string; prompt: Prompt }): readonly Step[] {
  const { prompt, modelId } = call;
  const turn = readTurn(prompt.items);
  const own = readSections(call.ownText)[0] as Section;
  const ownDirectives = own.directives.filter(({ word }) => turn.round === 0 || !FIRST_ROUND_ONLY.has(word));
  const asked = readSections(turn.text)[turn.round] ?? { directives: [], text: "" };
  const directives = [...ownDirectives, ...asked.directives];

  const context = createContext(modelId, prompt);
  const steps: Step[] = [];
  let needsOutput = !directives.some(({ word }) => OUTPUTS.has(word));
  for (const directive of directives) {
    if (needsOutput && AFTERTHOUGHTS.has(directive.word)) {
      steps.push(defaultOutput(prompt, turn, asked.text, context));
      needsOutput = false;
    }
    // Not spread: there may be more steps than a call takes arguments.
    for (const step of createSteps(directive, context)) steps.push(step);
    if (steps.length > DIRECTIVES_MAX) break;
  }
  const forced = turn.round === 0 ? forcedTool(prompt) : null;
  if (forced !== null && !steps.some((step) => step.do === "call" || step.do === "fail" || step.do === "hang")) {
    steps.push({ do: "call", name: forced.name, arguments: context.argumentsOf(forced.name) });
    needsOutput = false;
  }
  if (needsOutput) steps.push(defaultOutput(prompt, turn, asked.text, context));
  return prompt.parallelToolCalls === false ? keepFirstCall(steps) : steps;
}

/** The newest user message, how many rounds of results followed it, and the results of the last one. */
interface TurnSoFar {
  readonly text: string;
  readonly round: number;
  readonly results: readonly Result[];
}
type Result = PromptItem & { readonly type: "result" };

function readTurn(items: readonly PromptItem[]): TurnSoFar {
  const start = items.findLastIndex((item) => item.type === "message" && item.role === "user");
  const opening = items[start];
  let round = 0;
  let results: Result[] = [];
  let previous: PromptItem["type"] | null = null;
  for (const item of items.slice(start + 1)) {
    if (item.type === "result") {
      if (previous !== "result") {
        round++;
        results = [];
      }
      results.push(item);
    }
    previous = item.type;
  }
  return { text: opening?.type === "message" ? opening.text : "", round, results };
}

/** Output if there is nothing to echo. */
const NOTHING_TO_ECHO = "OK";

/** The output without directives: an instance of the schema, the tool outputs, or the text itself. */
function defaultOutput(prompt: Prompt, turn: TurnSoFar, text: string, context: StepContext): Step {
  if (prompt.format?.type === "json_schema") return say(context.instance());
  if (text === "" && turn.results.length > 0) return say(turn.results.map(createQuote(prompt)).join("\n"));
  return say(text === "" ? NOTHING_TO_ECHO : text);
}

function createQuote({ items }: Prompt): (result: Result) => string {
  const names = new Map<string, string | null>();
  for (const item of items) if (item.type === "call") names.set(item.callId, item.name);
  return ({ callId, name, output }) => `${name ?? names.get(callId) ?? "The tool"} returned: ${output}`;
}

function keepFirstCall(steps: readonly Step[]): readonly Step[] {
  const first = steps.findIndex((step) => step.do === "call");
  return steps.filter((step, index) => step.do !== "call" || index === first);
}
