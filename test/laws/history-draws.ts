// Resolves the draws of a program when they run: target, input, items, and the model's steps.
import { type HistoryOracle } from "./history-oracle.ts";
import {
  type Conversation,
  type Entry,
  type Route,
  type Said,
  type Sent,
  type StoredResponse,
} from "./history-model.ts";
import { isSettled } from "./history-prompt.ts";
import type { Action, InputDraw, ItemDraw, Play, Step } from "./history-programs.ts";

type Create = Extract<Action, { do: "create" }>;

/** The target of a create. */
interface Target {
  readonly route: Route;
  /** The key that sees it; undefined: there is none. */
  readonly owner: string | undefined;
  /** The response whose calls are answered. */
  readonly maker: StoredResponse | undefined;
}

/** The call_id that is reused. */
const SAME = "same";

export class HistoryDraws {
  readonly #oracle: HistoryOracle;
  /** The running models. */
  readonly #running: () => readonly Step[];
  #made = 0;

  /** The end of every text, which fills up a small window. */
  readonly #padding: string;

  constructor(oracle: HistoryOracle, running: () => readonly Step[], padding: string) {
    this.#oracle = oracle;
    this.#running = running;
    this.#padding = padding;
  }

  /** A new text. */
  text(prefix: string): string {
    return this.next(prefix) + this.#padding;
  }

  /** A new word. */
  next(prefix: string): string {
    return `${prefix}${++this.#made}`;
  }

  /** The target of a create: for results a response with calls, the response it continued, or its conversation. */
  target({ route, at, input }: Create): Target {
    if (input.kind === "results") {
      const makers = this.#oracle.turns.filter(({ output }) => output.some((said) => said.kind === "call"));
      const maker = back(makers, at);
      if (maker !== undefined) {
        const id = maker.thread.conversation?.id;
        if (input.through === "conversation" && id !== undefined) {
          return { route: { kind: "conversation", id }, owner: maker.key, maker };
        }
        const through = input.through === "continued" ? (maker.previous ?? maker.id) : maker.id;
        return { route: { kind: "previous", id: through }, owner: maker.key, maker };
      }
    }
    const found = back<Conversation | StoredResponse>(
      route === "conversation" ? this.#oracle.conversations : this.#oracle.turns,
      at,
    );
    if (route === "new" || found === undefined) return { route: { kind: "new" }, owner: undefined, maker: undefined };
    return { route: { kind: route, id: found.id }, owner: found.key, maker: undefined };
  }

  /** The input of a create, as drawn for its target. */
  input(draw: InputDraw, { route, maker }: Target): Sent[] {
    const text: Sent = { kind: "user", text: this.text("u") };
    switch (draw.kind) {
      case "text":
        return [text];
      case "carried":
        return [text, ...this.#exchange(), { kind: "user", text: this.text("u") }];
      case "reference": {
        const log =
          route.kind === "conversation"
            ? this.#oracle.conversations.find(({ id }) => id === route.id)?.log
            : this.#oracle.turns.find((turn) => route.kind === "previous" && turn.id === route.id)?.thread.log;
        return [{ kind: "reference", id: log?.findLast(({ id }) => id !== null)?.id ?? "msg_none" }, text];
      }
      default: {
        const made = (maker?.output ?? []).flatMap((said) => (said.kind === "call" ? [said] : []));
        const named = { all: made, first: made.slice(0, 1), "all and another": made, another: [] }[draw.which];
        const results = named.map(({ callId }): Sent => ({ kind: "result", callId, text: this.text("r") }));
        if (draw.which.endsWith("another")) results.push({ kind: "result", callId: "nobody", text: "r" });
        if (draw.along === "nothing") return results;
        if (draw.along === "text behind") return [...results, text];
        return draw.along === "text" ? [text, ...results] : [text, ...made, ...results];
      }
    }
  }

  #exchange(): Said[] {
    const callId = this.next("x");
    return [
      { kind: "call", callId, isCarried: true },
      { kind: "result", callId, text: this.text("r") },
    ];
  }

  /** Items as drawn; `waiting`: a result for the oldest call in the conversation that has none. */
  items(log: readonly Entry[], draws: readonly ItemDraw[]): Said[] {
    const there = log.filter(({ isDeleted }) => !isDeleted);
    const isAnswered = (callId: string) => there.some(({ said }) => said.kind === "result" && said.callId === callId);
    const open = there.flatMap(({ said }) => (said.kind === "call" && !isAnswered(said.callId) ? [said.callId] : []));
    const sent: Said[] = [];
    for (const draw of draws) {
      if (draw === "exchange") sent.push(...this.#exchange());
      else if (draw === "call") sent.push({ kind: "call", callId: this.next("x"), isCarried: true });
      else if (draw === "reasoning") sent.push({ kind: "reasoning" });
      else if (draw === "nowhere") sent.push({ kind: "result", callId: "nowhere", text: "r" });
      else if (draw === "waiting") {
        const callId = open.shift();
        if (callId !== undefined) sent.push({ kind: "result", callId, text: this.text("r") });
      } else sent.push({ kind: draw, text: this.text(draw) });
    }
    return sent;
  }

  /** A call is cut only where the model stops; it refuses only at its end. */
  steps({ steps, ending }: Play): Step[] {
    return steps.flatMap((drawn, index): Step[] => {
      const isLast = index === steps.length - 1;
      if (drawn === "text") return [{ do: "text", text: this.text("t") }];
      if (drawn === "reasoning") return [{ do: "reasoning" }];
      if (drawn === "refusal") return isLast ? [{ do: "refusal" }] : [];
      const isCutHere = drawn === "cut call" && isLast && ending === "incomplete";
      const mayReuse = drawn === "same call" && steps.indexOf(drawn) === index && this.#isFree(SAME);
      return [{ do: isCutHere ? "cut call" : "call", callId: mayReuse ? SAME : this.next("c") }];
    });
  }

  /** Whether no stored or running response has an open call with that id. */
  #isFree(callId: string): boolean {
    const logs = [...this.#oracle.conversations, ...this.#oracle.turns.map(({ thread }) => thread)].map(
      ({ log }) => log,
    );
    const isRunning = this.#running().some((step) => "callId" in step && step.callId === callId);
    return !isRunning && logs.every((log) => isSettled(log, callId));
  }
}

/** An element, counted from the newest. */
export function back<T>(all: readonly T[], at: number): T | undefined {
  return all.length === 0 ? undefined : all[all.length - 1 - (at % all.length)];
}
