// The conversations of a random program: created, labelled, read, added to, deleted.
import assert from "node:assert/strict";
import { expectConversation, expectList, expectReply } from "./history-checks.ts";
import { back } from "./history-draws.ts";
import { type Conversation, type Entry, invalid, NOT_FOUND, type Said } from "./history-model.ts";
import type { Action } from "./history-programs.ts";
import { CONFLICT, post } from "./history-retries.ts";
import type { HistorySession } from "./history-session.ts";
import { expectEnd } from "./history-responses.ts";
import { lineOfWire, listed, toWire } from "./history-wire.ts";

export async function createConversation(
  session: HistorySession,
  action: Extract<Action, { do: "create conversation" }>,
): Promise<void> {
  const { oracle, draws } = session;
  const path = "/v1/conversations";
  const sent = draws.items([], action.items);
  const metadata = { made: draws.next("m") };
  const body = { metadata, items: sent.map(toWire) };
  const { isKeyed } = action;
  await post(session, { path, by: session.key(action.by), body, isKeyed }, async (key, request, headers) => {
    const reply = await session.request("POST", path, key, request, headers);
    if (expectReply(reply, oracle.rejectsItems([], sent))) return null;
    const conversation = oracle.addConversation(key, reply.json.id, metadata);
    conversation.log.push(...sent.map(added));
    return () => (conversation.isDeleted ? CONFLICT : (again) => expectConversation(again, conversation));
  });
}

type ConversationAction = Extract<Action, { at: number; by: number }>;

export async function actOnConversation(session: HistorySession, action: ConversationAction): Promise<void> {
  const { oracle } = session;
  const conversation = back(oracle.conversations, action.at);
  if (conversation === undefined) return;
  const key = session.key(action.by, conversation.key);
  const path = `/v1/conversations/${conversation.id}`;
  const missingFor = (by: string) => (oracle.conversation(by, conversation.id) === null ? NOT_FOUND : null);
  switch (action.do) {
    case "add items": {
      const sent = session.draws.items(conversation.log, action.items);
      const { isKeyed } = action;
      const body = { items: sent.map(toWire) };
      return post(session, { path: `${path}/items`, by: key, body, isKeyed }, async (by, request, headers) => {
        const reply = await session.request("POST", `${path}/items`, by, request, headers);
        if (expectReply(reply, missingFor(by) ?? oracle.rejectsItems(conversation.log, sent))) return null;
        const entries = sent.map(added);
        conversation.log.push(...entries);
        expectList(reply, entries);
        const isLost = () => conversation.isDeleted || entries.some(({ isDeleted }) => isDeleted);
        return () => (isLost() ? CONFLICT : (again) => expectList(again, entries));
      });
    }
    case "label": {
      const metadata = { label: session.draws.next("m") };
      const { isKeyed } = action;
      return post(session, { path, by: key, body: { metadata }, isKeyed }, async (by, request, headers) => {
        const reply = await session.request("POST", path, by, request, headers);
        if (expectReply(reply, missingFor(by))) return null;
        conversation.metadata = metadata;
        expectConversation(reply, conversation);
        return () => (conversation.isDeleted ? CONFLICT : (again) => expectConversation(again, conversation));
      });
    }
    case "delete conversation": {
      const reply = await session.request("DELETE", path, key);
      // Repeating it is no error for the owner.
      if (expectReply(reply, key === conversation.key ? null : NOT_FOUND)) return;
      const running = session.held.filter(({ turn }) => turn.thread.conversation === conversation);
      conversation.isDeleted = true;
      for (const held of running) await expectEnd(session, held, "cancelled");
      return;
    }
    case "list":
      if (missingFor(key) === null) return readList(session, conversation, action.limit, action.order);
      expectReply(await session.request("GET", `${path}/items`, key), NOT_FOUND);
      return;
    case "delete item":
    case "retrieve item":
      return actOnItem(session, conversation, { ...action, key });
    default:
      assert.fail(action.do);
  }
}

async function actOnItem(
  session: HistorySession,
  conversation: Conversation,
  action: Extract<Action, { do: "delete item" | "retrieve item" }> & { readonly key: string },
): Promise<void> {
  const { key } = action;
  const isVisible = session.oracle.conversation(key, conversation.id) !== null;
  // The list tells the ids of the items.
  if (isVisible) await readList(session, conversation, 500, "asc");
  const entry = back(
    conversation.log.filter(({ id }) => id !== null),
    action.item,
  );
  if (entry === undefined) return;
  const isThere = isVisible && !entry.isDeleted;
  const path = `/v1/conversations/${conversation.id}/items/${entry.id}`;
  if (action.do === "retrieve item") {
    const reply = await session.request("GET", path, key);
    if (!expectReply(reply, isThere ? null : NOT_FOUND)) assert.equal(lineOfWire(reply.json), listed(entry.said));
    return;
  }
  const reply = await session.request("DELETE", path, key);
  const rejected = !isThere ? NOT_FOUND : entry.turn === null ? null : invalid("item_id");
  if (expectReply(reply, rejected, { anyParam: true })) return;
  entry.isDeleted = true;
  expectConversation(reply, conversation);
}

/** Walks all pages of a conversation. */
export async function readList(
  session: HistorySession,
  conversation: Conversation,
  limit: number,
  order: "asc" | "desc",
): Promise<void> {
  const there = conversation.log.filter(({ isDeleted }) => !isDeleted);
  const entries = order === "asc" ? there : there.toReversed();
  for (let from = 0; ; from += limit) {
    const page = entries.slice(from, from + limit);
    const after = from === 0 ? "" : `&after=${entries[from - 1]?.id}`;
    const path = `/v1/conversations/${conversation.id}/items?limit=${limit}&order=${order}${after}`;
    const reply = await session.request("GET", path, conversation.key);
    expectList(reply, page);
    const { first_id, last_id, has_more } = reply.json;
    const hasMore = from + limit < entries.length;
    assert.deepEqual([first_id, last_id, has_more], [page[0]?.id ?? "", page.at(-1)?.id ?? "", hasMore]);
    if (!hasMore) return;
  }
}

function added(said: Said): Entry {
  return { said: said.kind === "assistant" ? { ...said, isCut: false } : said, turn: null, id: null, isDeleted: false };
}
