// The history that a later turn continues: its end, then as much of it as will be sent. @spec what-the-service-does
import { notFound } from "../contract/errors.ts";
import { isIdOf } from "../contract/ids.ts";
import type { CreateRequest } from "../core/reading/create-body.ts";
import type { ContinuedHistory } from "../core/turn/planning.ts";
import type { Caller, Window } from "../ports/histories.ts";
import type { Continuation, ContinuationName, Placement } from "../ports/turns.ts";
import type { World } from "../ports/world.ts";

/** A history found: what planning needs of it, and where the turn's items will stand. */
export interface FoundHistory {
  readonly continued: ContinuedHistory;
  readonly placement: Exclude<Placement, { kind: "new" }>;
}

const NOTHING: Window = { items: [], unreadable: 0 };

/** Finds what a request continues; null on a first turn. Refuses the uniform 404. */
export async function findHistory(world: World, caller: Caller, request: CreateRequest): Promise<FoundHistory | null> {
  const name = nameOf(request);
  if (name === null) return null;
  const found = await world.store.findContinuation({ caller, name });
  if (found === null) throw notFound();
  const heldItemIds = await findReferenced(world, found, request);
  const { view, latest } = found;
  return {
    continued: { size: view.size, turns: view.turns, latest, heldItemIds },
    placement: found.isBranch ? { kind: "branch", view } : { kind: "append", view, mayFork: name.by === "response" },
  };
}

/** Reads the end of a history, as much as was planned. */
export async function readHistory(world: World, history: FoundHistory | null, sizeMax: number): Promise<Window> {
  if (history === null) return NOTHING;
  return world.store.readWindow({ view: history.placement.view, sizeMax });
}

function nameOf(request: CreateRequest): ContinuationName | null {
  const { conversationId, previousResponseId: responseId, input } = request;
  const outputs = typeof input === "string" ? [] : input.filter((item) => item.type === "function_call_output");
  const answeredCallIds = outputs.map((output) => output.callId);
  if (conversationId !== null) {
    // A malformed id is a conversation that does not exist (docs/wire.md, settled 5).
    if (!isIdOf("conversation", conversationId)) throw notFound();
    return { by: "conversation", conversationId, answeredCallIds };
  }
  if (responseId === null) return null;
  return { by: "response", responseId, answeredCallIds };
}

async function findReferenced(world: World, found: Continuation, request: CreateRequest): Promise<ReadonlySet<string>> {
  if (typeof request.input === "string") return new Set();
  const itemIds = request.input.filter((item) => item.type === "item_reference").map((item) => item.id);
  if (itemIds.length === 0) return new Set();
  return new Set(await world.store.findItemsInView({ view: found.view, itemIds }));
}
