// POST /v1/conversations. @spec endpoints/post-conversations
import { planAddedItems, readAddedItems } from "../../core/history/added-items.ts";
import { CreateConversationBody } from "../../contract/requests.ts";
import { readMetadata } from "../../core/reading/metadata.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { assertSameClaim, findEarlierRequest, readClaimedBody } from "../claims.ts";
import { replayConversation, presentConversation } from "./conversation-reply.ts";

/** Creates a conversation with labels and up to 20 items, both optional; so is the body. */
export async function createConversation(
  services: Pick<Services, "store" | "secrets" | "ids" | "clock">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const { fields, claim } = await readClaimedBody(services, context, CreateConversationBody);
  const items = readAddedItems(fields["items"] ?? []);
  const metadata = readMetadata(fields["metadata"]) ?? {};
  const earlier = await findEarlierRequest(services, caller, claim);
  if (earlier !== null) return replayConversation(services, caller, earlier, metadata);
  const outcome = await services.store.createConversation({
    caller,
    conversation: { id: services.ids.mint("conversation"), createdAt: nowSeconds(services.clock), metadata },
    items: planAddedItems(items, [], (kind) => services.ids.mint(kind)),
    claim,
  });
  if (outcome.kind === "claimed") {
    return replayConversation(services, caller, assertSameClaim(outcome.earlier, caller, claim), metadata);
  }
  return { kind: "json", body: presentConversation(outcome.value) };
}
