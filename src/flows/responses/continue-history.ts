// The history that a later turn continues: first its end, then as much of it as will be sent.
// @spec what-the-service-does
import { invalidInput, notFound } from "../../contract/errors.ts";
import { isIdOf } from "../../contract/ids.ts";
import type { CreateRequest } from "../../core/reading/create-body.ts";
import type { ContinuedHistory, PlanDraft } from "../../core/turn/planning.ts";
import { furtherSize, HISTORY_ITEMS_MAX } from "../../core/turn/window.ts";
import type { Caller, View, Window } from "../../ports/store/histories.ts";
import type { Continuation, ContinuationName, Placement } from "../../ports/store/turns.ts";
import type { Services } from "../../ports/services.ts";

/** A found history: what planning needs to know of it, and where the turn's items will be stored. */
export interface FoundHistory {
  readonly continued: ContinuedHistory;
  readonly placement: Exclude<Placement, { kind: "new" }>;
}

const NOTHING: Window = { items: [], isWhole: true, laterRounds: new Map(), unreadable: 0 };
/** Deepest nesting of branches in a history. */
const BRANCHES_MAX = 1_000;
/** Item references looked up in one read. */
const REFERENCES_A_READ = 32;

/** Finds the history that a request continues; null on a first turn. Throws the uniform 404. */
export async function findHistory(
  services: Services,
  caller: Caller,
  request: CreateRequest,
): Promise<FoundHistory | null> {
  const name = nameOf(request);
  if (name === null) return null;
  const found = await services.store.findContinuation({ caller, name });
  if (found === null) throw notFound();
  assertFewBranches(found);
  const heldItemIds = await findReferenced(services, found, request);
  const { view, latest, carried, others, settledCalls, ambiguousCalls } = found;
  return {
    continued: {
      size: view.size,
      turns: view.turns,
      latest,
      carried,
      others,
      settledCalls,
      ambiguousCalls,
      heldItemIds,
    },
    placement: found.isBranch ? { kind: "branch", view } : { kind: "append", view, mayFork: name.by === "response" },
  };
}

/**
 * Throws 400 for a branch of a branch of a branch, a thousand times over: each level is looked at for every turn. A
 * turn that was overtaken becomes a branch when it settles, which no request can be rejected for, so as many more levels
 * may be continued at their end.
 */
function assertFewBranches({ view, isBranch }: Continuation): void {
  if (view.segments.length <= (isBranch ? BRANCHES_MAX : 2 * BRANCHES_MAX)) return;
  const most = BRANCHES_MAX.toLocaleString("en");
  throw invalidInput(
    "previous_response_id",
    `previous_response_id names a response behind ${most} branches, each of which continued an earlier response of the one before: ` +
      "continue the latest response of one of them, or begin a conversation with the items.",
  );
}

/** Reads the end of a history: as much as the draft asks for, or further if not all of that is sent. */
export async function readHistory(services: Services, view: View | null, draft: PlanDraft): Promise<Window> {
  if (view === null) return NOTHING;
  const read = (sizeMax: number) =>
    services.store.readWindow({ view, sizeMax, itemsMax: HISTORY_ITEMS_MAX, withTurns: !draft.fits });
  const window = await read(draft.sizeMax);
  const further = furtherSize(draft.sizeMax, window, draft.window);
  return further === null ? window : read(further);
}

function nameOf(request: CreateRequest): ContinuationName | null {
  const { conversationId, previousResponseId: responseId, input } = request;
  const outputs = typeof input === "string" ? [] : input.filter((item) => item.type === "function_call_output");
  const answeredCallIds = outputs.map((output) => output.callId);
  if (conversationId !== null) {
    // A malformed id names no conversation (docs/wire.md, Missing and deleted).
    if (!isIdOf("conversation", conversationId)) throw notFound();
    return { by: "conversation", conversationId, answeredCallIds };
  }
  if (responseId === null) return null;
  return { by: "response", responseId, answeredCallIds };
}

/**
 * The referenced items that the history has, up to the first unknown one, which is an error whatever follows. Looked up
 * in pieces, because a request may refer to 30,000 items, and each look-up searches every branch.
 */
async function findReferenced(
  services: Services,
  found: Continuation,
  request: CreateRequest,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  if (typeof request.input === "string") return held;
  const references = request.input.filter((item) => item.type === "item_reference").map((item) => item.id);
  const itemIds = [...new Set(references)];
  for (let start = 0; start < itemIds.length; start += REFERENCES_A_READ) {
    const piece = itemIds.slice(start, start + REFERENCES_A_READ);
    const inView = await services.store.findItemsInView({ view: found.view, itemIds: piece });
    for (const itemId of inView) held.add(itemId);
    if (inView.length < piece.length) break;
  }
  return held;
}
