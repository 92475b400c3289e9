// What a client may expect of histories, told a second time in a few lines and from the documents alone: which requests are
// accepted, what a model is sent, what is listed. @spec endpoints/post-responses, states-and-transitions; docs/wire.md, rules 3 to 10
import type { Step } from "./history-programs.ts";

/** An item as far as histories are concerned. */
export type Said =
  | { readonly kind: "user" | "system" | "developer"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string; readonly declined?: boolean; readonly isCut?: boolean }
  | { readonly kind: "call"; readonly callId: string; readonly isCarried: boolean; readonly isCut?: boolean }
  | { readonly kind: "result"; readonly callId: string; readonly text: string }
  | { readonly kind: "reasoning" };

/** Something that stands in a history. Branches share entries with where they come from. */
export interface Entry {
  readonly said: Said;
  /** The turn that brought it; null: a client added it. */
  readonly turn: Turn | null;
  /** Known once it was seen in an answer. */
  id: string | null;
  isDeleted: boolean;
}

/** A log of entries: a conversation, the private thread of a first turn, or a branch of either. */
export interface Thread {
  readonly log: Entry[];
  readonly conversation: Conversation | null;
  /** How much of the log a branch shares with where it comes from. What waits there is not the branch's to answer. */
  readonly shared: number;
}

export interface Conversation extends Thread {
  readonly id: string;
  readonly key: string;
  metadata: object;
  isDeleted: boolean;
}

/** A history as a new turn continues it. */
export interface View {
  readonly thread: Thread;
  readonly entries: readonly Entry[];
  /** The calls in it that wait for their results. */
  readonly waits: readonly Entry[];
}

/** A response. */
export interface Turn {
  id: string;
  /** The first round of its turn: itself, but for tool answers. */
  readonly root: Turn;
  readonly key: string;
  /** Where it was accepted; where it stands once it has ended. */
  thread: Thread;
  /** How much of the thread it saw. */
  readonly saw: number;
  /** Whether that was not all: it was continued behind an earlier response. */
  readonly isBehind: boolean;
  /** Whether it goes to the end of its thread, whatever came meanwhile; else a turn, or of an answer another answer, makes it a branch. */
  readonly isLogged: boolean;
  readonly named: string | null;
  readonly previous: string | null;
  readonly input: readonly Said[];
  status: "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
  output: readonly Said[];
  /** Length of the thread once its entries stand in it. */
  end: number;
  isDeleted: boolean;
}

/** A refusal that a request has to expect. */
export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
}

/** What comes of an accepted create. */
export interface Planned {
  readonly view: View;
  readonly isLogged: boolean;
  readonly previous: string | null;
  /** The first round of the turn that it goes on with; null: it begins one. */
  readonly root: Turn | null;
  readonly input: readonly Said[];
  /** What the model is sent, a line an item. */
  readonly prompt: readonly string[];
}

export type Route = { readonly kind: "new" } | { readonly kind: "conversation" | "previous"; readonly id: string };

export type Sent = Said | { readonly kind: "reference"; readonly id: string };

export const NOT_FOUND: Refused = { status: 404, code: "resource_not_found", param: null };
export const invalid = (param: string): Refused => ({ status: 400, code: "invalid_input", param });

export class HistoryOracle {
  readonly conversations: Conversation[] = [];
  readonly turns: Turn[] = [];

  conversation(key: string, id: string): Conversation | null {
    return this.conversations.find((each) => each.id === id && each.key === key && !each.isDeleted) ?? null;
  }

  /** A response as its key sees it; null: it can't. */
  turn(key: string, id: string): Turn | null {
    const found = this.turns.find((each) => each.id === id && each.key === key);
    return found === undefined || found.isDeleted || isGone(found) ? null : found;
  }

  addConversation(key: string, id: string, metadata: object): Conversation {
    const made: Conversation = {
      id,
      key,
      metadata,
      log: [],
      shared: 0,
      isDeleted: false,
      get conversation() {
        return made;
      },
    };
    this.conversations.push(made);
    return made;
  }

  /** Items are added in exchanges; an output alone answers a call that has none. */
  refusesItems(log: readonly Entry[], items: readonly Said[]): Refused | null {
    const before = living(log).map(({ said }) => said);
    for (const [index, item] of items.entries()) {
      const there = [...before, ...items.slice(0, index)];
      const answered = pairResults(there);
      const isOpen = (said: Said) => said.kind === "call" && item.kind === "result" && said.callId === item.callId;
      if (item.kind === "result" && !there.some((said) => isOpen(said) && !answered.has(said))) return invalid("items");
    }
    return null;
  }

  /** What a create comes to. A model that is not named is the latest response's. */
  plan(key: string, route: Route, input: readonly Sent[], namesModel: boolean): Planned | Refused {
    const plan = this.#plan(key, route, input);
    if (isRefused(plan) || namesModel || living(plan.view.entries).some(({ turn }) => turn !== null)) return plan;
    return invalid("model");
  }

  #plan(key: string, route: Route, input: readonly Sent[]): Planned | Refused {
    if (route.kind === "new")
      return this.#planTurn(viewOfAll({ conversation: null, log: [], shared: 0 }), true, null, input);
    if (route.kind === "conversation") {
      const conversation = this.conversation(key, route.id);
      if (conversation === null) return NOT_FOUND;
      const view = viewOfAll(conversation);
      if (answeredBy(input, view).length > 0) return this.#planAnswer(view, true, input);
      return this.#planTurn(view, true, null, input);
    }
    const from = this.turn(key, route.id);
    if (from === null) return NOT_FOUND;
    if (from.status === "in_progress" || from.status === "failed") return invalid("previous_response_id");
    const view = this.viewFrom(from, input);
    if (answeredBy(input, view).length > 0) return this.#planAnswer(view, false, input);
    // The calls may be those of a turn that continued the response named.
    for (const later of this.turns.filter(({ previous, id }) => previous === from.id && this.turn(key, id) !== null)) {
      if (later.status === "in_progress" || later.status === "failed") continue;
      const seen = this.viewFrom(later, input);
      if (answeredBy(input, seen).some(({ turn }) => turn === later)) return this.#planAnswer(seen, false, input);
    }
    return this.#planTurn(view, false, from.id, input);
  }

  /**
   * What a response is continued with. The latest of its thread: all that stands there, and so for results of another's calls that wait
   * there. Else what stood there at its end. But for the latest, its own calls wait and no others.
   */
  viewFrom(turn: Turn, input: readonly Sent[]): View {
    const { thread, end } = turn;
    const isLatest = !this.turns.some((each) => each.thread === thread && !each.isDeleted && each.end > end);
    const whole = viewOfAll(thread);
    if (isLatest) return whole;
    const own = { ...whole, waits: whole.waits.filter((call) => call.turn === turn) };
    if (answeredBy(input, own).length > 0) return own;
    const entries = thread.log.slice(0, end);
    return { thread, entries, waits: waitingIn(entries).filter((call) => call.turn === turn) };
  }

  #planTurn(view: View, isLogged: boolean, previous: string | null, input: readonly Sent[]): Planned | Refused {
    if (view.waits.length > 0) return invalid("input");
    const said: Said[] = [];
    const texts = input.flatMap((item) => (item.kind === "user" ? [item.text] : []));
    if (texts.length === 0) return invalid("input");
    for (const item of input) {
      if (item.kind === "reference") {
        if (!view.entries.some(({ id, isDeleted }) => id === item.id && !isDeleted)) return invalid("input");
      } else if (item.kind === "result" && !said.some((each) => each.kind === "call" && each.callId === item.callId)) {
        return invalid("input");
      } else if (item.kind === "call") said.push({ ...item, isCarried: true });
      else if (item.kind !== "user") said.push(item);
      else if (!said.some(({ kind }) => kind === "user")) said.push({ kind: "user", text: texts.join("\n\n") });
    }
    return planned({ view, isLogged, previous, root: null, input: said });
  }

  /** Every result answers a waiting call of one turn, and all of that turn's are answered; what else comes along is ignored. */
  #planAnswer(view: View, isLogged: boolean, input: readonly Sent[]): Planned | Refused {
    const asked = answeredBy(input, view);
    const maker = asked.at(-1)?.turn ?? null;
    const answered = asked.filter(({ turn }) => turn === maker);
    const resent = input.filter((item) => item.kind === "call");
    const before = living(view.entries).flatMap(({ said }) => (said.kind === "result" ? [said] : []));
    const isResent = (callId: string) => [...resent, ...before].some((item) => item.callId === callId);
    const results = input.filter((item) => item.kind === "result");
    const isKnown = results.every(({ callId }) => isResent(callId) || answered.some((call) => callOf(call) === callId));
    const isWhole = view.waits.every((call) => call.turn !== maker || answered.includes(call));
    if (!isKnown || !isWhole) return invalid("input");
    const said = results.filter(({ callId }) => answered.some((call) => callOf(call) === callId));
    return planned({ view, isLogged, previous: maker?.previous ?? null, root: maker?.root ?? null, input: said });
  }

  begin(key: string, named: string | null, { view, isLogged, previous, root, input }: Planned): Turn {
    const turn: Turn = {
      get root() {
        return root ?? turn;
      },
      id: "",
      key,
      thread: view.thread,
      saw: view.entries.length,
      isBehind: view.entries.length < view.thread.log.length,
      isLogged,
      named,
      previous,
      input,
      status: "in_progress",
      output: [],
      end: -1,
      isDeleted: false,
    };
    this.turns.push(turn);
    return turn;
  }

  /** A failed turn adds nothing; any other its input and what it put out, but for calls that were cut. */
  settle(turn: Turn, status: Turn["status"], output: readonly Said[]): void {
    turn.status = status;
    turn.output = output;
    if (status === "failed") return;
    const { thread, saw, isBehind } = turn;
    // Items that a client added meanwhile don't part it from its conversation; another turn does, but an answer to calls only another to the same.
    const meanwhile = thread.log.slice(saw).flatMap((entry) => entry.turn ?? []);
    if (isBehind || (!turn.isLogged && meanwhile.some(({ root }) => turn.root === turn || root === turn.root))) {
      turn.thread = { conversation: thread.conversation, log: thread.log.slice(0, saw), shared: saw };
    }
    const kept = output.filter((said) => said.kind !== "call" || said.isCut !== true);
    const { isDeleted } = turn;
    turn.thread.log.push(...[...turn.input, ...kept].map((said): Entry => ({ said, turn, id: null, isDeleted })));
    turn.end = turn.thread.log.length;
  }

  deleteTurn(turn: Turn): void {
    turn.isDeleted = true;
    for (const entry of turn.thread.log) if (entry.turn === turn) entry.isDeleted = true;
  }
}

/** What a model said, step by step, as items. */
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
      const declined = step.do === "decline" || before?.declined === true;
      output.push({ kind: "assistant", text, declined, isCut: ending === "cut" && index === steps.length - 1 });
    }
  }
  return output;
}

/** Whether all calls of an id have their results, wherever they stand: then it may be used again. */
export function isSettled(log: readonly Entry[], callId: string): boolean {
  const said = living(log).map((entry) => entry.said);
  const results = pairResults(said);
  return said.every((each) => each.kind !== "call" || each.callId !== callId || results.has(each));
}

/**
 * A history as a model is sent it. Results stand behind their calls, and calls behind the text that their answer ends with; an answer
 * whose results came behind another turn, or an answer or result that a client added, stands where they came. Nothing half is sent.
 */
function promptOf(history: readonly Pick<Entry, "said" | "turn">[]): string[] {
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
    if (!between.some(({ said, turn: by }) => by !== null || said.kind === "assistant" || said.kind === "result"))
      continue;
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
  let caller: Turn | null = null;
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
      // A text between the calls of an answer stays there.
      const between = texts.splice(0);
      if (between.length > 0) close();
      lines.push(...between.map(lineOf));
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

/** Each call's first result behind it; a call_id that is used again begins a new exchange. */
function pairResults(history: readonly Said[]): ReadonlyMap<Said, Said> {
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

/** An item in a line. */
export function lineOf(said: Said): string {
  switch (said.kind) {
    case "call":
      return `call ${said.callId}`;
    case "result":
      return `result ${said.callId}: ${said.text}`;
    case "assistant":
      return `assistant: ${said.text}${said.declined === true ? " (declined)" : ""}`;
    case "reasoning":
      return "reasoning";
    default:
      return `${said.kind}: ${said.text}`;
  }
}

export function isRefused(plan: Planned | Refused): plan is Refused {
  return "status" in plan;
}

export function viewOfAll(thread: Thread): View {
  const own = thread.log.slice(thread.shared);
  return { thread, entries: [...thread.log], waits: waitingIn(thread.log).filter((call) => own.includes(call)) };
}

function planned(plan: Omit<Planned, "prompt">): Planned {
  return {
    ...plan,
    prompt: promptOf([...living(plan.view.entries), ...plan.input.map((said) => ({ said, turn: null }))]),
  };
}

function living(view: readonly Entry[]): Entry[] {
  return view.filter(({ isDeleted }) => !isDeleted);
}

/**
 * The calls of models that wait for their results: nobody answered them, and no turn went on without: neither a user's that saw them,
 * nor a later round of their own turn.
 */
function waitingIn(log: readonly Entry[]): Entry[] {
  const results = pairResults(living(log).map((entry) => entry.said));
  return log.filter(({ said, turn, isDeleted }, place) => {
    if (said.kind !== "call" || turn === null || said.isCarried || isDeleted) return false;
    if (results.has(said)) return false;
    return !living(log).some(
      ({ turn: later }) => later !== null && later.saw > place && [later, turn.root].includes(later.root),
    );
  });
}

function answeredBy(input: readonly Sent[], { waits }: View): Entry[] {
  const callIds = new Set(input.flatMap((item) => (item.kind === "result" ? [item.callId] : [])));
  return waits.filter((call) => callIds.has(callOf(call)));
}

function callOf({ said }: Entry): string {
  return said.kind === "call" ? said.callId : "";
}

function isGone({ thread }: Turn): boolean {
  return thread.conversation?.isDeleted === true;
}
