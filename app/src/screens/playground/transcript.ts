// A transcript that the service gives back after a reload: from the items of a conversation, or from the responses of a
// chain, whose inputs the service does not give back.
import { RequestFailure } from "../../api/failure.ts";
import { take } from "../../api/client.ts";
import { newTurn, type Turn } from "./turns.ts";
import { type CreateBody, type Item, type Response, v1 } from "./v1.ts";

/** Where a transcript is: its conversation, or the response that the next turn continues; empty: nowhere yet. */
export interface Place {
  readonly conversation?: string;
  readonly response?: string;
}

/** More responses of a chain are not read. */
const CHAIN_MAX = 100;
const PAGE = 100;

/** The turns of a place, oldest first; none if there is no such conversation or response any more. */
export async function readTranscript({ conversation, response }: Place): Promise<readonly Turn[]> {
  try {
    if (conversation !== undefined) return turnsOfItems(conversation, await readItems(conversation));
    if (response !== undefined) return turnsOfResponses(await readChain(response));
    return [];
  } catch (error) {
    if (error instanceof RequestFailure && error.status === 404) return [];
    throw error;
  }
}

async function readItems(conversation: string): Promise<readonly Item[]> {
  const path = { conversation_id: conversation };
  const items: Item[] = [];
  for (let hasMore = true; hasMore; ) {
    const after = items.at(-1)?.id;
    const query = { limit: PAGE, order: "asc" as const, ...(after === undefined ? {} : { after }) };
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const page = await take(v1.GET("/conversations/{conversation_id}/items", { params: { path, query } }));
    items.push(...page.data);
    hasMore = page.has_more;
  }
  return items;
}

async function readChain(head: string): Promise<readonly Response[]> {
  const chain: Response[] = [];
  for (let id: string | null = head; id !== null && chain.length < CHAIN_MAX; ) {
    const params = { path: { response_id: id } };
    // oxlint-disable-next-line no-await-in-loop -- each response names the one before it
    const response = (await take(v1.GET("/responses/{response_id}", { params }))) as Response;
    chain.unshift(response);
    id = response.previous_response_id ?? null;
  }
  return chain;
}

/** Whether an item was sent to the model, rather than made by it. */
const isSent = (item: Item): boolean =>
  item.type === "function_call_output" || (item.type === "message" && item.role !== "assistant");

/** What was sent and what followed it, turn by turn. */
export function turnsOfItems(conversation: string, items: readonly Item[]): readonly Turn[] {
  const turns: { sent: Item[]; made: Item[] }[] = [];
  for (const item of items) {
    const last = turns.at(-1);
    if (last === undefined || (isSent(item) && last.made.length > 0)) turns.push({ sent: [], made: [] });
    turns.at(-1)?.[isSent(item) ? "sent" : "made"].push(item);
  }
  return turns.map(({ sent, made }, index) => ({
    ...readTurn(index, { conversation, input: sent.map(inputOf) }),
    items: made,
  }));
}

/** An item as a request would have it: the texts of a message are one. */
function inputOf(item: Item) {
  if (item.type !== "message") return item;
  return { ...item, content: item.content.map((part) => ("text" in part ? part.text : "")).join("\n") };
}

export function turnsOfResponses(responses: readonly Response[]): readonly Turn[] {
  return responses.map((response, index) => ({
    ...readTurn(index, { model: response.model, input: [] }),
    items: response.output,
    response,
  }));
}

/** A turn that is over; each one continues the one before it. */
function readTurn(index: number, request: CreateBody): Turn {
  return { ...newTurn(index + 1, index === 0 ? null : index, request), isRunning: false, isReadBack: true };
}
