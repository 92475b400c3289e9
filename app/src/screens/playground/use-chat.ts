// One chat of the playground: its turns, and where the next one goes.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { WITH_KEY } from "../../api/queries.ts";
import { beginConversation, isWhole, itemsOf } from "./branch.ts";
import { type Place, readTranscript } from "./transcript.ts";
import { continuationsOf, conversationOf, isUnanswered, pathTo, type Turn, waitingCalls } from "./turns.ts";
import { useTurns } from "./use-turns.ts";
import type { CreateBody } from "./v1.ts";

export interface Chat {
  readonly turns: ReadonlyMap<number, Turn>;
  /** The turns that are shown, from the first one on. */
  readonly path: readonly Turn[];
  readonly conversationId: string | null;
  /** Where the transcript is; null while it is being read, and for a branch without a turn. */
  readonly place: Place | null;
  readonly isRunning: boolean;
  readonly isReading: boolean;
  /** Sends a request that continues the path. Rejects if it could not be sent; what became of it is in its turn. */
  send(request: CreateBody, onBegun: () => void): Promise<void>;
  /** Sends the request of a turn that got no response once more. */
  sendAgain(turn: Turn, onBegun: () => void): Promise<void>;
  /** Cancels the running turn, if there is one. */
  stop(): Promise<void>;
  /** Shows the path to a turn. If others continue it, the next one begins a branch, which leaves the conversation. */
  show(id: number): void;
  /** Begins without a turn, in a conversation or (null) in one that the first turn makes. */
  begin(conversationId: string | null): void;
  /** Begins with what another chat has said. */
  fork(path: readonly Turn[]): void;
}

/** A chat. What it opens with is read at first, once. */
export function useChat(opened: Place, onError: (error: unknown) => void): Chat {
  const queryClient = useQueryClient();
  const turns = useTurns();
  const [conversationId, setConversationId] = useState<string | null>(opened.conversation ?? null);
  // The next turn continues one that another turn continues already.
  const [isBranch, setBranch] = useState(false);
  const [isReading, setReading] = useState(Object.keys(opened).length > 0);
  const first = useRef({ opened, restore: turns.restore, onError });
  useEffect(() => {
    const { opened: place, restore, onError: fail } = first.current;
    if (Object.keys(place).length === 0) return;
    const read = async () => {
      try {
        restore(await readTranscript(place));
      } catch (error) {
        fail(error);
      }
      setReading(false);
    };
    void read();
  }, []);

  const path = pathTo(turns.all, turns.head);
  const continued = path.filter((turn) => !isUnanswered(turn));
  const last = path.at(-1);
  const response = path.findLast((turn) => turn.response !== null)?.response?.id;

  /** A transcript and each of its branches is a conversation: the service gives that back after a reload. */
  const conversationOfNext = async (): Promise<string | null> => {
    if (conversationId !== null) return conversationId;
    const head = continued.at(-1);
    if (head === undefined) return beginConversation([]);
    // Outputs answer the calls of a response, which another conversation does not have.
    const isCopied = isBranch && isWhole(continued) && waitingCalls(head).length === 0;
    return isCopied ? beginConversation(itemsOf(continued)) : null;
  };
  const run = async (turn: Parameters<typeof turns.run>[0]) => {
    await turns.run(turn);
    await queryClient.invalidateQueries({ queryKey: [WITH_KEY, "conversation"] });
  };
  return {
    turns: turns.all,
    path,
    conversationId,
    place: isReading || isBranch ? null : placeOf(conversationId, response),
    isRunning: last?.isRunning === true,
    isReading,
    async send(request, onBegun) {
      const conversation = await conversationOfNext();
      setConversationId(conversation);
      setBranch(false);
      const after = response === undefined ? {} : { previous_response_id: response };
      const place = conversation === null ? after : { conversation };
      await run({ request: { ...request, ...place }, parent: continued.at(-1)?.id ?? null, onBegun });
    },
    sendAgain: ({ request, parent, idempotencyKey }, onBegun) => run({ request, parent, idempotencyKey, onBegun }),
    stop: async () => {
      if (last?.isRunning === true) await turns.stop(last);
    },
    show(id) {
      const isLeaf = continuationsOf(turns.all, id).length === 0;
      setConversationId(isLeaf ? conversationOf(turns.all.get(id)) : null);
      setBranch(!isLeaf);
      turns.choose(id);
    },
    begin(conversation) {
      setConversationId(conversation);
      setBranch(false);
      turns.choose(null);
    },
    fork(said) {
      setConversationId(null);
      setBranch(said.length > 0);
      turns.restore(said);
    },
  };
}

function placeOf(conversation: string | null, response: string | undefined): Place {
  if (conversation !== null) return { conversation };
  return response === undefined ? {} : { response };
}
