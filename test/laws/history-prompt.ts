// The prompt of a history, one line for each item, and the output of a scripted response.
import type { Step } from "./history-programs.ts";
import type { Said, Entry, StoredResponse } from "./history-model.ts";

/** A model's output, step by step, as items. */
export function outputOf(steps: readonly Step[], ending: "finished" | "cut"): Said[] {
  const output: Said[] = [];
  for (const [index, step] of steps.entries()) {
    const last = output.at(-1);
    if (step.do === "call" || step.do === "cut call") {
      output.push({ kind: "call", callId: step.callId, isCarried: false, isCut: step.do === "cut call" });
    } else if (step.do === "reasoning") output.push({ kind: "reasoning" });
    else {
      const before = last?.kind === "assistant" ? last : null;
      if (before !== null) output.pop();
      const text = (before?.text ?? "") + (step.do === "text" ? step.text : "");
      const isRefusal = step.do === "refusal" || before?.isRefusal === true;
      output.push({ kind: "assistant", text, isRefusal, isCut: ending === "cut" && index === steps.length - 1 });
    }
  }
  return output;
}

/** Whether all calls with an id have their results: then the id may be reused. */
export function isSettled(log: readonly Entry[], callId: string): boolean {
  const said = living(log).map((entry) => entry.said);
  const results = pairResults(said);
  return said.every((each) => each.kind !== "call" || each.callId !== callId || results.has(each));
}

/**
 * The prompt for a history. Results follow their calls, and calls follow the texts of their response. A
 * response moves to its results if another response came between; what a client added keeps its place. Half an exchange
 * is left out.
 */
export function promptOf(history: readonly Pick<Entry, "said" | "turn">[]): string[] {
  const results = pairResults(history.map(({ said }) => said));
  const sent = history.filter(({ said }) => said.kind !== "reasoning" && (said.kind !== "call" || results.has(said)));
  for (const turn of new Set(sent.map((each) => each.turn))) {
    const isSaidBy = ({ said, turn: by }: Pick<Entry, "said" | "turn">) =>
      by === turn && by !== null && (said.kind === "assistant" || (said.kind === "call" && !said.isCarried));
    const round = sent.filter(isSaidBy);
    const replies = round.map(({ said }) => results.get(said));
    const place = sent.findLastIndex(({ said }) => replies.includes(said));
    const behind = place < 0 ? [] : sent.slice(sent.findLastIndex(isSaidBy) + 1, place);
    const between = behind.filter(({ said }) => !replies.includes(said));
    if (!between.some(({ said, turn: by }) => by !== null && said.kind !== "result")) continue;
    const first = sent[place];
    for (const each of round) sent.splice(sent.indexOf(each), 1);
    sent.splice(
      sent.findIndex((each) => each === first),
      0,
      ...round,
    );
  }
  const lines: string[] = [];
  let calls: Said[] = [];
  let texts: Said[] = [];
  let caller: StoredResponse | null = null;
  const close = () => {
    const replies = calls.flatMap((call) => results.get(call) ?? []);
    const callLines = calls.map(
      (call) => `${lineOf(call)}${call.kind === "call" && call.isCarried ? " (carried)" : ""}`,
    );
    lines.push(...texts.map(lineOf), ...callLines, ...replies.map(lineOf));
    [calls, texts] = [[], []];
  };
  for (const { said, turn } of sent) {
    if (said.kind === "assistant" && calls.length > 0 && turn !== null && turn === caller) texts.push(said);
    else if (said.kind === "call") {
      // The calls of two responses are two rounds.
      if (turn !== caller) close();
      calls.push(said);
      caller = turn;
    } else {
      close();
      if (said.kind !== "result") lines.push(lineOf(said));
    }
  }
  close();
  return lines;
}

/** Each call's first result after it; a reused call_id begins a new exchange. */
export function pairResults(history: readonly Said[]): ReadonlyMap<Said, Said> {
  const open = new Map<string, Said>();
  const results = new Map<Said, Said>();
  for (const said of history) {
    if (said.kind === "call") open.set(said.callId, said);
    if (said.kind !== "result") continue;
    const call = open.get(said.callId);
    if (call !== undefined && !results.has(call)) results.set(call, said);
  }
  return results;
}

/** An item as one line. */
export function lineOf(said: Said): string {
  switch (said.kind) {
    case "call":
      return `call ${said.callId}`;
    case "result":
      return `result ${said.callId}: ${said.text}`;
    case "assistant":
      return `assistant: ${said.text}${said.isRefusal === true ? " (refusal)" : ""}`;
    case "reasoning":
      return "reasoning";
    default:
      return `${said.kind}: ${said.text}`;
  }
}

export function living(view: readonly Entry[]): Entry[] {
  return view.filter(({ isDeleted }) => !isDeleted);
}
