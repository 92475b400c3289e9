// POST /v1/conversations/{conversation_id}: replaces all labels. @spec endpoints/post-conversations-id
import { invalidInput, notFound } from "../../contract/errors.ts";
import { UpdateConversationBody } from "../../contract/requests.ts";
import { readMetadata } from "../../core/reading/metadata.ts";
import type { Services } from "../../ports/services.ts";
import type { Admitted } from "../access/admit.ts";
import type { Reply, RequestContext } from "../request-context.ts";
import { assertSameClaim, findEarlierRequest, readClaimedBody } from "../claims.ts";
import { replayConversation, presentConversation } from "./conversation-reply.ts";
import { conversationIdOf } from "../path-ids.ts";

/** Replies with the relabelled conversation. Throws 400 param `metadata` when it is missing or outside the limits. */
export async function updateConversation(
  services: Pick<Services, "store" | "secrets">,
  context: RequestContext,
  { caller }: Admitted,
): Promise<Reply> {
  const { fields, claim } = await readClaimedBody(services, context, UpdateConversationBody);
  const metadata = readMetadata(fields["metadata"]);
  if (metadata === null) throw invalidInput("metadata", "metadata is required: an object of labels, {} to clear them.");
  const conversationId = conversationIdOf(context);
  const earlier = await findEarlierRequest(services, caller, claim);
  if (earlier !== null) return replayConversation(services, caller, earlier, metadata);
  const outcome = await services.store.relabelConversation({ caller, conversationId, metadata, claim });
  if (outcome.kind === "claimed") {
    return replayConversation(services, caller, assertSameClaim(outcome.earlier, caller, claim), metadata);
  }
  if (outcome.value === null) throw notFound();
  return { kind: "json", body: presentConversation(outcome.value) };
}
