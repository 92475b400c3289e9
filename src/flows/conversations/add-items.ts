// POST /v1/conversations/{conversation_id}/items. @spec endpoints/post-conversations-id-items
import { invalidInput, notFound } from "../../contract/errors.ts";
import { deletedResultError } from "../../core/idempotency/verdict.ts";
import { callIdsOf, planAddedItems, readAddedItems } from "../../core/history/added-items.ts";
import { type ListedItem, presentItemList } from "../../core/history/item-list.ts";
import { AddItemsBody } from "../../contract/requests.ts";
import { readIncludeOfQuery } from "../../core/reading/include-list.ts";
import type { InputItem } from "../../core/history/input-item.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { NewItem, UnansweredCall } from "../../core/history/history-item.ts";
import type { EarlierClaim } from "../../ports/store/claims.ts";
import { SHORT_BYTES } from "../../ports/store/room.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import { assertSameClaim, PlanAttempts, findEarlierRequest, readClaimedBody } from "../claims.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { conversationIdOf } from "../path-ids.ts";
import { readWithRoom } from "../read-with-room.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";

/** Adds up to 20 items, all or none, and replies with the list of just those. */
export async function addItems(
  services: Pick<Services, "store" | "secrets" | "ids">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const { store } = services;
  const { fields, claim, bytesRead } = await readClaimedBody(services, context, AddItemsBody);
  const includes = readIncludeOfQuery(context.query.get("include"));
  if (fields["items"] === undefined || fields["items"] === null)
    throw invalidInput("items", "items is required: an array of items.");
  const items = readAddedItems(fields["items"]);
  const conversationId = conversationIdOf(context);
  const replay = (earlier: EarlierClaim) => replayItems(services, context, { caller, earlier, includes });
  const attempts = new PlanAttempts(claim);
  for (;;) {
    attempts.begin();
    const earlier = await findEarlierRequest(services, caller, claim);
    if (earlier !== null) return replay(earlier);
    attempts.assertMayPlan();
    const added = await attempts.plan(planItems(services, context, { caller, conversationId, items, bytesRead }));
    if (added === null) continue;
    const outcome = await store.addItems({ caller, conversationId, items: added, claim });
    if (outcome.kind === "changed") continue;
    if (outcome.kind === "claimed") return replay(assertSameClaim(outcome.earlier, caller, claim));
    if (outcome.value === null) throw notFound();
    return { kind: "json_text", pieces: presentItemList(await writeAll(outcome.value), false, includes) };
  }
}

/** The items to add, and the body that they came in. */
interface GivenItems {
  readonly caller: Caller;
  readonly conversationId: string;
  readonly items: readonly InputItem[];
  readonly bytesRead: number;
}

/** Plans the items as they will be stored. Throws 400, the uniform 404, 503 `gateway_overloaded`. */
async function planItems(
  services: Pick<Services, "store" | "ids">,
  context: RequestContext,
  given: GivenItems,
): Promise<readonly NewItem[]> {
  // The reply repeats the items: if it does not fit, nothing is added.
  if (given.bytesRead > SHORT_BYTES) context.reserveReply(given.bytesRead);
  const unansweredCalls = await findUnansweredCalls(services, given);
  return planAddedItems(given.items, unansweredCalls, (kind) => services.ids.mint(kind));
}

/** Items as JSON. Between those that take noticeable time other requests are served. */
async function writeAll(items: readonly NewItem[]): Promise<readonly ListedItem[]> {
  const listed: ListedItem[] = [];
  let characters = 0;
  for (const { item } of items) {
    const text = JSON.stringify(item);
    listed.push({ readable: true, id: item.id, text });
    characters += text.length;
    if (characters < SHORT_BYTES) continue;
    characters = 0;
    // oxlint-disable-next-line no-await-in-loop -- divides the work over turns of the event loop
    await yieldToEventLoop();
  }
  return listed;
}

/** The conversation's calls without outputs that have a call_id of the items. Throws the uniform 404. */
async function findUnansweredCalls(
  { store }: Pick<Services, "store">,
  { caller, conversationId, items }: GivenItems,
): Promise<readonly UnansweredCall[]> {
  const callIds = callIdsOf(items);
  if (callIds.length === 0) return [];
  const unansweredCalls = await store.findUnansweredCalls({ caller, conversationId, callIds });
  if (unansweredCalls === null) throw notFound();
  return unansweredCalls;
}

/** The reply to a retry: the items as they are now. Throws 409 when one of them was deleted. */
async function replayItems(
  { store }: Pick<Services, "store">,
  context: RequestContext,
  { caller, earlier, includes }: { caller: Caller; earlier: EarlierClaim; includes: boolean },
): Promise<Reply> {
  const { result } = earlier;
  if (result.kind !== "items") throw new Error(`adding items claimed ${result.kind}`);
  const { conversationId, itemIds } = result;
  const query = { caller, conversationId, itemIds };
  const items = await readWithRoom(context, (room) => store.readItems({ ...query, room }));
  if (items === null || items.length < itemIds.length) throw deletedResultError();
  return { kind: "json_text", pieces: presentItemList(items, false, includes) };
}
