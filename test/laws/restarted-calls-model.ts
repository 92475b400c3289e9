// What a client knows of its calls, whose call_ids restart: each has a mark of its own, and each output a text of its
// own.

/** A conversation, or the thread of a first response without one, with its branches. */
export interface Thread {
  readonly id: string | null;
  readonly calls: Call[];
  readonly outputs: Output[];
  /** The round that settled last in the conversation itself; null: the client does not know. */
  latest: Round | null;
}

export interface Call {
  readonly mark: string;
  readonly callId: string;
  readonly thread: Thread;
  /** The response that it is an item of; null: it was added. */
  readonly round: Round | null;
  itemId: string | null;
  isDeleted: boolean;
  /** The response that dropped it. */
  droppedBy: Round | null;
}

export interface Output {
  readonly text: string;
  readonly callId: string;
  /** The calls that it may have answered. */
  readonly of: readonly Call[];
  /** The calls that the client may mean by it: it is ignored only if all of them have their outputs. Null: resent. */
  readonly meant: readonly Call[] | null;
  /** The call that it answered, once a prompt has shown it. */
  call: Call | null;
  /** The response whose input it is; null: it was added, and has an item that may be deleted. */
  round: Round | null;
  itemId: string | null;
  isDeleted: boolean;
  /** Whether it is in the conversation itself, not in a branch. */
  isInLog: boolean;
}

/** A response. */
export interface Round {
  id: string;
  readonly thread: Thread;
  readonly previous: Round | null;
  /** Whether it is in the conversation itself: what the client knows for certain. */
  isInLog: boolean;
  readonly calls: Call[];
  /** The calls that its history has, for certain. */
  readonly known: readonly Call[];
  /** The outputs that its prompt had. */
  readonly shown: readonly Output[];
  isSettled: boolean;
  readonly isIncomplete: boolean;
  isDeleted: boolean;
  isAnswered: boolean;
}

/** The calls that a history has for certain: that of a response, or of the conversation. */
export function knownCalls(thread: Thread, previous: Round | null): readonly Call[] {
  if (previous !== null) return [...previous.known, ...previous.calls];
  if (thread.id === null) return [];
  return thread.calls.filter(({ round, itemId }) =>
    round === null ? itemId !== null : round.isInLog && round.isSettled,
  );
}

export function isSettled({ round }: Output): boolean {
  return round === null || round.isSettled;
}

/** Whether a call or an output was deleted, itself or with its response. */
export function isGone({ isDeleted, round }: Call | Output): boolean {
  return isDeleted || round?.isDeleted === true;
}

/** The call that an output answers; null: no prompt has shown it yet. */
export function callOf({ call, of }: Output): Call | null {
  return call ?? (of.length === 1 ? (of[0] ?? null) : null);
}

/** Whether neither an output nor the call that it answers was deleted. */
export function isAlive(output: Output): boolean {
  const call = callOf(output);
  return call !== null && !isGone(call) && !isGone(output);
}
