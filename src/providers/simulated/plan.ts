// What a simulated model will do in one round: a pure function of its model and prompt.
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import { type DirectiveWord, readSections, type Section } from "./directives.ts";
import { createSteps, instanceText, say, type Step } from "./steps.ts";
import { createArguments } from "./instance.ts";
import { forcedTool } from "./tool-choice.ts";

/** Directives that stand in the place of an answer; beside all others the text is answered as well. */
const ANSWERS: ReadonlySet<DirectiveWord> = new Set<DirectiveWord>([
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
/** Directives that need something said before them. */
const AFTERTHOUGHTS: ReadonlySet<DirectiveWord> = new Set<DirectiveWord>(["cite", "incomplete"]);
/** Directives of a model that hold in the first round only, lest it call for ever. */
const FIRST_ROUND_ONLY: ReadonlySet<DirectiveWord> = new Set<DirectiveWord>(["tool", "tools"]);

/**
 * Plans a round: the model's own directives first, then those of the newest user message that are for this round. `ownText` is the
 * model's part. Throws a DirectiveError.
 */
export function plan(call: { modelId: string; ownText: string; prompt: Prompt }): readonly Step[] {
  const { prompt, modelId } = call;
  const turn = readTurn(prompt.items);
  const own = readSections(call.ownText)[0] as Section;
  const ownDirectives = own.directives.filter(({ word }) => turn.round === 0 || !FIRST_ROUND_ONLY.has(word));
  const asked = readSections(turn.text)[turn.round] ?? { directives: [], text: "" };
  const directives = [...ownDirectives, ...asked.directives];

  const steps: Step[] = [];
  let needsAnswer = !directives.some(({ word }) => ANSWERS.has(word));
  for (const directive of directives) {
    if (needsAnswer && AFTERTHOUGHTS.has(directive.word)) {
      steps.push(...answer(prompt, turn, asked.text));
      needsAnswer = false;
    }
    steps.push(...createSteps(directive, { prompt, modelId }));
  }
  const forced = turn.round === 0 ? forcedTool(prompt) : null;
  if (forced !== null && !steps.some((step) => step.do === "call" || step.do === "fail" || step.do === "hang")) {
    steps.push({ do: "call", name: forced.name, arguments: JSON.stringify(createArguments(forced.parameters)) });
    needsAnswer = false;
  }
  if (needsAnswer) steps.push(...answer(prompt, turn, asked.text));
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

/** Said when there is nothing to echo. */
const NOTHING_TO_ECHO = "OK";

/** What is answered without being told: an instance of the schema, the results of the tools, or the text itself. */
function answer(prompt: Prompt, turn: TurnSoFar, text: string): readonly Step[] {
  if (prompt.format?.type === "json_schema") return [say(instanceText(prompt))];
  if (text === "" && turn.results.length > 0) return [say(turn.results.map(quote(prompt)).join("\n"))];
  return [say(text === "" ? NOTHING_TO_ECHO : text)];
}

function quote({ items }: Prompt): (result: Result) => string {
  return ({ callId, name, output }) => {
    const call = items.findLast((item) => item.type === "call" && item.callId === callId);
    const toolName = name ?? (call?.type === "call" ? call.name : null) ?? "The tool";
    return `${toolName} returned: ${output}`;
  };
}

function keepFirstCall(steps: readonly Step[]): readonly Step[] {
  const first = steps.findIndex((step) => step.do === "call");
  return steps.filter((step, index) => step.do !== "call" || index === first);
}
