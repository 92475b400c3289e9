// Plans the response of a create on the history that it continues: first the end of the history is read, then as much
// of it as will be sent. @spec what-the-service-does
import { invalidInput, notFound } from "../../contract/errors.ts";
import { isIdOf, type ResponseId } from "../../contract/ids.ts";
import type { CatalogModel, TargetModel } from "../../core/models/catalog.ts";
import { draftPlan, openPlan } from "../../core/response/draft.ts";
import { type Plan, completePlan, planAgain } from "../../core/response/plan.ts";
import type { ContinuedHistory, PlanDraft } from "../../core/response/planning.ts";
import type { CreateRequest } from "../../core/response/request.ts";
import { knownCalls, listResent } from "../../core/response/tool-outputs.ts";
import { furtherSize, HISTORY_ITEMS_MAX } from "../../core/response/window.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { ModelSet } from "../../ports/model-set.ts";
import type { Services } from "../../ports/services.ts";
import type { Caller, View, Window } from "../../ports/store/histories.ts";
import type { Continuation, ContinuationName, Placement } from "../../ports/store/responses.ts";
import type { Capacity } from "../gateway.ts";
import type { HistorySize, Replan } from "../run/running-response.ts";
import type { TurnTargets } from "../run/turn-targets.ts";
import { assertSupported, type DraftedAgain, planAtTargets } from "./plan-targets.ts";
import type { Create } from "./read-create.ts";

/** A plan, the model set that it was made with, and where its items will be stored. */
export interface Planned {
  readonly plan: Plan;
  readonly modelSet: ModelSet;
  readonly placement: Placement;
  readonly historySize: HistorySize;
  /** Plans the prompt again, from the history as it is now (replan); null: the response continues none. */
  readonly replan: Replan | null;
  /** Null: its model has none. */
  readonly targets: TurnTargets | null;
}

type PlanNeeds = Pick<Services, "store" | "ids" | "clock" | "secrets" | "modelSet"> & Pick<Capacity, "circuits">;

/** Plans the response. Throws 400, also for what the model's provider has no way to send; the uniform 404. */
export async function planResponse(services: PlanNeeds, { admitted, request }: Create): Promise<Planned> {
  const { caller, organization, unansweredCalls, keyLimits } = admitted;
  const { ids, clock, secrets } = services;
  const modelSet = services.modelSet();
  const history = await findHistory(services, caller, request);
  const policy = { ...organization.policy, keyModels: keyLimits.allowModels, unansweredCalls };
  const opened = openPlan({ request, history: history?.continued ?? null, policy }, modelSet.catalog);
  const view = history?.placement.view ?? null;
  const planOn = async (model: CatalogModel, id?: ResponseId): Promise<Plan> => {
    const draft = draftPlan(opened, model);
    const window = await readHistory(services, view, draft, { withTurns: !draft.wholeFits });
    const plan = completePlan(draft, window, {
      id: id ?? ids.mint("response"),
      createdAt: nowSeconds(clock),
      endUserHash: (endUser) => secrets.hashEndUser(caller.organizationId, endUser),
      reasoningOf: (of, prompt) => modelSet.providers.get(of.provider).reasoningOf(of, prompt),
      mint: (kind) => ids.mint(kind),
    });
    assertSupported(modelSet, plan);
    return plan;
  };
  const draftAgain = async (model: CatalogModel): Promise<DraftedAgain> => {
    const draft = draftPlan(opened, model);
    // Turns can be dropped only if they are read.
    return { draft, window: await readHistory(services, view, draft, { withTurns: true }) };
  };
  const replan: Replan = async (begun, rejections) => {
    const { draft, window } = await draftAgain(begun.model);
    return planAgain(begun, draft, window, rejections);
  };
  const placement = history?.placement ?? { kind: "new" };
  const placed = { modelSet, placement, replan: view === null ? null : replan };
  const { targets } = opened.model;
  const sized = <Made extends { readonly plan: Plan }>(made: Made) => {
    return { ...placed, ...made, historySize: sizeOfHistory(history, made.plan) };
  };
  if (targets === undefined) return sized({ plan: await planOn(opened.model), targets: null });
  // The order of the targets follows from the id.
  const id = ids.mint("response");
  const planner = { opened, modelSet, id, planOn: (target: TargetModel) => planOn(target, id), draftAgain };
  return sized(await planAtTargets(services, targets, planner));
}

/** What a plan holds of the history in memory. */
function sizeOfHistory(history: FoundHistory | null, { promptCharacters }: Plan): HistorySize {
  if (history === null) return { sent: 0, kept: 0 };
  const { latest } = history.continued;
  const calls = latest?.waitingCalls ?? [];
  return {
    sent: promptCharacters,
    kept: calls.reduce((size, call) => size + call.arguments.length, latest?.statesSize ?? 0),
  };
}

/** A found history: what planning needs to know of it, and where the response's items will be stored. */
interface FoundHistory {
  readonly continued: ContinuedHistory;
  readonly placement: Exclude<Placement, { kind: "new" }>;
}

const NOTHING: Window = { items: [], isWhole: true, laterRounds: new Map(), unreadable: 0 };
/** Deepest nesting of branches in a history. */
const BRANCHES_MAX = 1_000;
/** Items or calls looked up in one read. */
const IDS_A_READ = 32;

/** Finds the history that a request continues; null on a first turn. Throws the uniform 404. */
async function findHistory(
  services: Pick<Services, "store">,
  caller: Caller,
  request: CreateRequest,
): Promise<FoundHistory | null> {
  const name = nameOf(request);
  if (name === null) return null;
  const found = await services.store.findContinuation({ caller, name });
  if (found === null) throw notFound();
  assertFewBranches(found);
  const { view, latest, carried, others, settledCalls, ambiguousCalls } = found;
  const { store } = services;
  const heldItemIds = await lookUp(referencesOf(request), (itemIds) => store.findItemsInView({ view, itemIds }));
  const resent = listResent(request.input, knownCalls(found));
  const answeredCallIds = await lookUp(resent, (callIds) => store.findAnsweredInView({ view, callIds }));
  return {
    continued: {
      size: view.size,
      turns: view.turns,
      latest,
      carried,
      others,
      settledCalls,
      ambiguousCalls,
      answeredCallIds,
      heldItemIds,
    },
    placement: found.isBranch ? { kind: "branch", view } : { kind: "append", view, mayFork: name.by === "response" },
  };
}

/**
 * Throws 400 for a new branch below a thousand levels of branches, because every response reads each level. The end of
 * a branch may be continued on twice as many levels: a response that was overtaken becomes a branch when it settles,
 * and then it is too late to reject its request.
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

/** Reads the end of a history: as much as the draft asks for, and further while not all of that is sent. */
async function readHistory(
  services: Pick<Services, "store">,
  view: View | null,
  { sizeMax: firstMax, fit }: PlanDraft,
  { withTurns }: { readonly withTurns: boolean },
): Promise<Window> {
  if (view === null) return NOTHING;
  const read = (sizeMax: number) =>
    services.store.readWindow({ view, sizeMax, itemsMax: HISTORY_ITEMS_MAX, withTurns });
  let window = await read(firstMax);
  let further = furtherSize(firstMax, window, fit);
  while (further !== null) {
    // oxlint-disable-next-line no-await-in-loop -- each read decides whether there is another
    window = await read(further);
    further = furtherSize(further, window, fit);
  }
  return window;
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

/** The ids of the items that a request refers to, each once. */
function referencesOf({ input }: CreateRequest): readonly string[] {
  if (typeof input === "string") return [];
  return [...new Set(input.flatMap((item) => (item.type === "item_reference" ? [item.id] : [])))];
}

/**
 * The ids that the history has, up to the first unknown one, which is an error whatever follows. Looked up in pieces,
 * because a request may name 30,000, and each look-up searches every branch.
 */
async function lookUp(
  ids: readonly string[],
  find: (piece: readonly string[]) => Promise<readonly string[]>,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (let start = 0; start < ids.length; start += IDS_A_READ) {
    const piece = ids.slice(start, start + IDS_A_READ);
    const found = await find(piece);
    for (const id of found) held.add(id);
    if (found.length < piece.length) break;
  }
  return held;
}
