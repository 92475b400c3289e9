// The turns of a playground as a tree: every turn continues one before it, and several may continue the same.
import type { CreateBody, FunctionCall, Item, Response, StreamEvent } from "./v1.ts";

export interface TimedEvent {
  /** Milliseconds after the request was sent. */
  readonly atMs: number;
  readonly event: StreamEvent;
}

export interface Turn {
  readonly id: number;
  /** The turn that it continues. */
  readonly parent: number | null;
  readonly request: CreateBody;
  /** Of its create; empty if it was read back. */
  readonly idempotencyKey: string;
  readonly events: readonly TimedEvent[];
  /** The items that are whole. */
  readonly items: readonly Item[];
  /** Of the item that is arriving. */
  readonly text: string;
  readonly refusal: string;
  /** The newest state that an event carried. */
  readonly response: Response | null;
  /** An HTTP error, or a stream that broke off. */
  readonly failure: unknown;
  readonly requestId: string | null;
  readonly isRunning: boolean;
  /** Read back from the service after a reload: there are no events of it. */
  readonly isReadBack: boolean;
}

/** A turn whose request is being sent. */
export function newTurn(id: number, parent: number | null, request: CreateBody, idempotencyKey = ""): Turn {
  return {
    id,
    parent,
    request,
    idempotencyKey,
    events: [],
    items: [],
    text: "",
    refusal: "",
    response: null,
    failure: null,
    requestId: null,
    isRunning: true,
    isReadBack: false,
  };
}

/** The turn after one more event. */
export function withEvent(turn: Turn, atMs: number, event: StreamEvent): Turn {
  const events = [...turn.events, { atMs, event }];
  if ("response" in event) return { ...turn, events, response: event.response };
  switch (event.type) {
    case "response.output_text.delta":
      return { ...turn, events, text: turn.text + event.delta };
    case "response.refusal.delta":
      return { ...turn, events, refusal: turn.refusal + event.delta };
    case "response.output_item.done":
      return { ...turn, events, items: [...turn.items, event.item], text: "", refusal: "" };
    default:
      return { ...turn, events };
  }
}

/** The turns from the first to `head`. */
export function pathTo(turns: ReadonlyMap<number, Turn>, head: number | null): readonly Turn[] {
  const path: Turn[] = [];
  for (let turn = turnOf(turns, head); turn !== null; turn = turnOf(turns, turn.parent)) path.unshift(turn);
  return path;
}

/** The turns that continue `parent`, oldest first. */
export function continuationsOf(turns: ReadonlyMap<number, Turn>, parent: number | null): readonly Turn[] {
  return [...turns.values()].filter((turn) => turn.parent === parent);
}

/** The last turn of the branch that begins with a turn: of several continuations the newest. */
export function leafOf(turns: ReadonlyMap<number, Turn>, id: number): number {
  const last = continuationsOf(turns, id).at(-1);
  return last === undefined ? id : leafOf(turns, last.id);
}

/** The conversation that a turn belongs to; null: none. */
export function conversationOf(turn: Turn | undefined): string | null {
  const conversation = turn?.request.conversation ?? null;
  return typeof conversation === "string" ? conversation : null;
}

/** Whether a turn got an HTTP error, or no answer at all: nothing can continue it. */
export function isUnanswered({ isRunning, isReadBack, response }: Turn): boolean {
  return !isRunning && !isReadBack && response === null;
}

/** The calls that wait for their outputs: only those of a completed response do. */
export function waitingCalls({ response }: Turn): readonly FunctionCall[] {
  if (response?.status !== "completed") return [];
  return response.output.filter((item) => item.type === "function_call");
}

function turnOf(turns: ReadonlyMap<number, Turn>, id: number | null): Turn | null {
  return id === null ? null : (turns.get(id) ?? null);
}
