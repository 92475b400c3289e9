// A second, short implementation of histories, from the documents alone: accepted requests, prompts and lists.
// @spec endpoints/post-responses, states-and-transitions; docs/wire.md (Behaviour)
import {
  type Said,
  type Entry,
  type Thread,
  type Conversation,
  type View,
  type StoredResponse,
  type Rejected,
  type Planned,
  type Route,
  type Sent,
  NOT_FOUND,
  invalid,
  isRejected,
  owesResults,
} from "./history-model.ts";
import { promptOf, pairResults, living } from "./history-prompt.ts";

export class HistoryOracle {
  readonly conversations: Conversation[] = [];
  readonly turns: StoredResponse[] = [];

  conversation(key: string, id: string): Conversation | null {
    return this.conversations.find((each) => each.id === id && each.key === key && !each.isDeleted) ?? null;
  }

  /** A response as its key sees it; null: not visible. */
  turn(key: string, id: string): StoredResponse | null {
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

  /** The expected error of added items. A call may come without its output; an output needs a call without one. */
  rejectsItems(log: readonly Entry[], items: readonly Said[]): Rejected | null {
    const before = living(log).map(({ said }) => said);
    for (const [index, item] of items.entries()) {
      if (item.kind === "result" && log.some((entry) => isCallOf(entry, item.callId) && this.#isTaken(entry))) {
        return invalid("items");
      }
      const there = [...before, ...items.slice(0, index)];
      const answered = pairResults(there);
      const isOpen = (said: Said) => said.kind === "call" && item.kind === "result" && said.callId === item.callId;
      if (item.kind === "result" && !there.some((said) => isOpen(said) && !answered.has(said))) return invalid("items");
    }
    return null;
  }

  /** The expected outcome of a create. Without a model it uses the latest response's. */
  plan(
    key: string,
    route: Route,
    input: readonly Sent[],
    { namesModel = true, drops = false }: { readonly namesModel?: boolean; readonly drops?: boolean } = {},
  ): Planned | Rejected {
    const plan = this.#plan(key, route, input, drops);
    if (isRejected(plan) || namesModel || living(plan.view.entries).some(({ turn }) => turn !== null)) return plan;
    return invalid("model");
  }

  #plan(key: string, route: Route, input: readonly Sent[], drops: boolean): Planned | Rejected {
    if (route.kind === "new")
      return this.#planResponse(this.viewOfAll({ conversation: null, log: [], shared: 0 }), true, null, input, drops);
    if (route.kind === "conversation") {
      const conversation = this.conversation(key, route.id);
      if (conversation === null) return NOT_FOUND;
      const view = this.viewOfAll(conversation);
      if (answeredBy(input, view).length > 0) return this.#planAnswer(view, true, input);
      return this.#planResponse(view, true, null, input, drops);
    }
    const from = this.turn(key, route.id);
    if (from === null) return NOT_FOUND;
    if (from.status === "in_progress" || from.status === "failed") return invalid("previous_response_id");
    const view = this.viewFrom(from, input);
    if (answeredBy(input, view).length > 0) return this.#planAnswer(view, false, input);
    // The calls may belong to a response that continued the named one.
    for (const later of this.turns.filter(({ previous, id }) => previous === from.id && this.turn(key, id) !== null)) {
      if (later.status === "in_progress" || later.status === "failed") continue;
      const seen = this.viewFrom(later, input);
      if (answeredBy(input, seen).some(({ turn }) => turn === later)) return this.#planAnswer(seen, false, input);
    }
    return this.#planResponse(view, false, from.id, input, drops);
  }

  /** The running response to a response's calls, in their thread. */
  #answering(maker: StoredResponse): StoredResponse | null {
    return this.turns.find(({ answers, status }) => answers === maker && status === "in_progress") ?? null;
  }

  /** Whether a call accepts no result: it is closed, or being answered. */
  #isTaken({ turn, said, isDeleted }: Entry): boolean {
    if (turn === null || isDeleted || said.kind !== "call" || said.isCarried) return false;
    return isClosed(turn) || this.#answering(turn) !== null;
  }

  /**
   * A view of the whole thread. Calls that are being answered in it count as waiting, also after a user turn passed
   * them.
   */
  viewOfAll(thread: Thread): View {
    const own = thread.log.slice(thread.shared);
    const isAnswered = (turn: StoredResponse) => this.#answering(turn)?.thread === thread;
    return {
      thread,
      entries: [...thread.log],
      waits: waitingIn(thread.log, isAnswered).filter((call) => own.includes(call)),
    };
  }

  /**
   * The view that continuing a response gives. For the latest response of its thread: the whole thread, with all its
   * waiting calls. For an earlier one: the thread up to its end, with its own calls only; with results for those that
   * still wait in the thread, the whole thread.
   */
  viewFrom(turn: StoredResponse, input: readonly Sent[]): View {
    const { thread, end } = turn;
    const isLatest = !this.turns.some((each) => each.thread === thread && !each.isDeleted && each.end > end);
    const whole = this.viewOfAll(thread);
    if (isLatest) return whole;
    const own = { ...whole, waits: whole.waits.filter((call) => call.turn === turn) };
    if (answeredBy(input, own).length > 0) return own;
    const entries = thread.log.slice(0, end);
    return { thread, entries, waits: waitingIn(entries).filter((call) => call.turn === turn) };
  }

  #planResponse(
    view: View,
    isLogged: boolean,
    previous: string | null,
    input: readonly Sent[],
    drops: boolean,
  ): Planned | Rejected {
    const keepsWaiting = ({ turn }: Entry) => turn !== null && (owesResults(turn) || this.#answering(turn) !== null);
    if (!drops && view.waits.some(keepsWaiting)) return invalid("input");
    const said: Said[] = [];
    const texts = input.flatMap((item) => (item.kind === "user" ? [item.text] : []));
    if (texts.length === 0) return invalid("input");
    const last = input.findLastIndex(({ kind }) => kind === "user");
    for (const [index, item] of input.entries()) {
      if (item.kind === "reference") {
        // In a conversation without a response this is a first turn.
        if (!living(view.entries).some(({ turn }) => turn !== null)) return invalid("input");
        if (!view.entries.some(({ id, isDeleted }) => id === item.id && !isDeleted)) return invalid("input");
      } else if (item.kind === "result" && !said.some((each) => each.kind === "call" && each.callId === item.callId)) {
        return invalid("input");
      } else if (item.kind === "call") said.push({ ...item, isCarried: true });
      else if (item.kind !== "user") said.push(item);
      else if (index === last) said.push({ kind: "user", text: texts.join("\n\n") });
    }
    return planned({ view, isLogged, previous, root: null, input: said, answers: null, drops });
  }

  /** Plans tool outputs: for all waiting calls of one response, and no others. Items before them are ignored. */
  #planAnswer(view: View, isLogged: boolean, input: readonly Sent[]): Planned | Rejected {
    const asked = answeredBy(input, view);
    const maker = asked.at(-1)?.turn ?? null;
    if (maker !== null && this.#answering(maker) !== null) return invalid("input");
    const answered = asked.filter(({ turn }) => turn === maker);
    const resent = input.filter((item) => item.kind === "call");
    const before = living(view.entries).flatMap(({ said }) => (said.kind === "result" ? [said] : []));
    const isResent = (callId: string) => [...resent, ...before].some((item) => item.callId === callId);
    const results = input.filter((item) => item.kind === "result");
    const isKnown = results.every(({ callId }) => isResent(callId) || answered.some((call) => callOf(call) === callId));
    const isWhole = view.waits.every((call) => call.turn !== maker || answered.includes(call));
    if (!isKnown || !isWhole) return invalid("input");
    const said: Said[] = results.filter(({ callId }) => answered.some((call) => callOf(call) === callId));
    // What the user says behind the results is new: at most one text.
    const last = input.at(-1);
    if (last?.kind === "user") said.push(last);
    return planned({
      view,
      isLogged,
      previous: maker?.previous ?? null,
      root: maker?.root ?? null,
      input: said,
      answers: maker,
      drops: false,
    });
  }

  begin(key: string, named: string | null, plan: Planned): StoredResponse {
    const { view, isLogged, previous, root, input, drops } = plan;
    const isBehind = view.entries.length < view.thread.log.length;
    const turn: StoredResponse = {
      get root() {
        return root ?? turn;
      },
      id: "",
      key,
      thread: view.thread,
      saw: view.entries.length,
      isBehind,
      isLogged,
      named,
      previous,
      input,
      answers: isBehind ? null : plan.answers,
      closedBy: null,
      isExcused: false,
      status: "in_progress",
      output: [],
      end: -1,
      isDeleted: false,
    };
    if (drops) {
      // After an earlier response only its own calls are closed, if they wait in its thread.
      const waits = isBehind
        ? this.viewOfAll(view.thread).waits.filter((call) => view.waits.includes(call))
        : view.waits;
      for (const { turn: maker } of waits) if (maker !== null && this.#answering(maker) === null) maker.closedBy = turn;
    }
    this.turns.push(turn);
    return turn;
  }

  /** Ends a turn. A failed one adds nothing; any other adds its input and its output without truncated calls. */
  settle(turn: StoredResponse, status: StoredResponse["status"], output: readonly Said[]): void {
    turn.status = status;
    turn.output = output;
    if (status === "failed") return;
    const { thread, saw, isBehind } = turn;
    // Items that a client added meanwhile don't make it a branch. Another response does; for tool outputs only another
    // response to the same calls does.
    const meanwhile = thread.log.slice(saw).flatMap((entry) => entry.turn ?? []);
    if (isBehind || (!turn.isLogged && meanwhile.some(({ root }) => turn.root === turn || root === turn.root))) {
      turn.thread = { conversation: thread.conversation, log: thread.log.slice(0, saw), shared: saw };
    }
    const kept = output.filter((said) => said.kind !== "call" || said.isCut !== true);
    const { isDeleted } = turn;
    turn.thread.log.push(...[...turn.input, ...kept].map((said): Entry => ({ said, turn, id: null, isDeleted })));
    turn.end = turn.thread.log.length;
  }

  deleteStored(turn: StoredResponse): void {
    turn.isDeleted = true;
    if (turn.answers !== null && turn.end >= 0) turn.answers.isExcused = true;
    for (const entry of turn.thread.log) if (entry.turn === turn) entry.isDeleted = true;
  }
}

function isClosed({ closedBy }: StoredResponse): boolean {
  return closedBy !== null && closedBy.status !== "failed";
}

function isCallOf({ said }: Entry, callId: string): boolean {
  return said.kind === "call" && said.callId === callId;
}

function planned(plan: Omit<Planned, "prompt">): Planned {
  return {
    ...plan,
    prompt: promptOf([...living(plan.view.entries), ...plan.input.map((said) => ({ said, turn: null }))]),
  };
}

/**
 * The waiting calls of models: without a result, not closed, and with no later response that saw them, neither a user
 * turn nor a later round of their own turn. Calls that are being answered still wait.
 */
function waitingIn(log: readonly Entry[], isAnswered: (turn: StoredResponse) => boolean = () => false): Entry[] {
  const results = pairResults(living(log).map((entry) => entry.said));
  return log.filter(({ said, turn, isDeleted }, place) => {
    if (said.kind !== "call" || turn === null || said.isCarried || isDeleted) return false;
    if (results.has(said) || isClosed(turn)) return false;
    if (isAnswered(turn)) return true;
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

function isGone({ thread }: StoredResponse): boolean {
  return thread.conversation?.isDeleted === true;
}
