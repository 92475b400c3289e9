// What the words of a program stand for at the time: which target, which input, which items, what a model will do.
import {
  type Conversation,
  type Entry,
  type HistoryOracle,
  isSettled,
  type Route,
  type Said,
  type Sent,
  type Turn,
} from "./history-oracle.ts";
import type { Action, InputDraw, ItemDraw, Play, Step } from "./history-programs.ts";

type Create = Extract<Action, { do: "create" }>;

/** What a create is aimed at. */
interface Target {
  readonly route: Route;
  /** Whose key sees it; undefined: there is nothing to see. */
  readonly owner: string | undefined;
  /** The turn whose calls are answered. */
  readonly maker: Turn | undefined;
}

/** The call_id that is used again and again. */
const SAME = "same";

export class HistoryDraws {
  readonly #oracle: HistoryOracle;
  /** What models that have not ended do. */
  readonly #running: () => readonly Step[];
  #made = 0;

  /** What every text ends with, to take room in a small window. */
  readonly #padding: string;

  constructor(oracle: HistoryOracle, running: () => readonly Step[], padding: string) {
    this.#oracle = oracle;
    this.#running = running;
    this.#padding = padding;
  }

  /** A text that was not used before. */
  text(prefix: string): string {
    return this.next(prefix) + this.#padding;
  }

  /** A word that was not used before. */
  next(prefix: string): string {
    return `${prefix}${++this.#made}`;
  }

  /** What a create names: for results a turn that made calls, or what that turn continued or is in. */
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
    const found = back<Conversation | Turn>(
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
      else if (draw === "reasoning") sent.push({ kind: "reasoning" });
      else if (draw === "nowhere") sent.push({ kind: "result", callId: "nowhere", text: "r" });
      else if (draw === "waiting") {
        const callId = open.shift();
        if (callId !== undefined) sent.push({ kind: "result", callId, text: this.text("r") });
      } else sent.push({ kind: draw, text: this.text(draw) });
    }
    return sent;
  }

  /** A call is cut only where the model stops; it declines only at its end. */
  steps({ steps, ending }: Play): Step[] {
    return steps.flatMap((drawn, index): Step[] => {
      const isLast = index === steps.length - 1;
      if (drawn === "text") return [{ do: "text", text: this.text("t") }];
      if (drawn === "reasoning") return [{ do: "reasoning" }];
      if (drawn === "decline") return isLast ? [{ do: "decline" }] : [];
      const isCutHere = drawn === "cut call" && isLast && ending === "incomplete";
      const mayReuse = drawn === "same call" && steps.indexOf(drawn) === index && this.#isFree(SAME);
      return [{ do: isCutHere ? "cut call" : "call", callId: mayReuse ? SAME : this.next("c") }];
    });
  }

  /** Whether nothing that lives or runs has a call of that id open. */
  #isFree(callId: string): boolean {
    const logs = [...this.#oracle.conversations, ...this.#oracle.turns.map(({ thread }) => thread)].map(
      ({ log }) => log,
    );
    const isRunning = this.#running().some((step) => "callId" in step && step.callId === callId);
    return !isRunning && logs.every((log) => isSettled(log, callId));
  }
}

/** One of them, counted from the newest back. */
export function back<T>(all: readonly T[], at: number): T | undefined {
  return all.length === 0 ? undefined : all[all.length - 1 - (at % all.length)];
}
