// The data of the history oracle: items, threads, responses, and the expected outcome of a request.

/** An item, as far as histories need it. */
export type Said =
  | { readonly kind: "user" | "system" | "developer"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string; readonly isRefusal?: boolean; readonly isCut?: boolean }
  | { readonly kind: "call"; readonly callId: string; readonly isCarried: boolean; readonly isCut?: boolean }
  | { readonly kind: "result"; readonly callId: string; readonly text: string }
  | { readonly kind: "reasoning" };

/** An entry of a history. Branches share entries with their origin. */
export interface Entry {
  readonly said: Said;
  /** The response that added it; null: a client did. */
  readonly turn: StoredResponse | null;
  /** Null until a reply has shown it. */
  id: string | null;
  isDeleted: boolean;
}

/** A log of entries: a conversation, the private thread of a first response, or a branch of either. */
export interface Thread {
  readonly log: Entry[];
  readonly conversation: Conversation | null;
  /** Entries that a branch shares with its origin. Calls that wait there are not the branch's. */
  readonly shared: number;
}

export interface Conversation extends Thread {
  readonly id: string;
  readonly key: string;
  metadata: object;
  isDeleted: boolean;
}

/** A history as a new response continues it. */
export interface View {
  readonly thread: Thread;
  readonly entries: readonly Entry[];
  /** Its calls that wait for their results, or are being answered. */
  readonly waits: readonly Entry[];
}

/** A response. */
export interface StoredResponse {
  id: string;
  /** The first round of its turn: itself, except with tool outputs. */
  readonly root: StoredResponse;
  readonly key: string;
  /** The thread that accepted it, and that holds it once it has ended. */
  thread: Thread;
  /** Entries of the thread that it saw. */
  readonly saw: number;
  /** Whether the thread was longer: it continues an earlier response. */
  readonly isBehind: boolean;
  /**
   * Whether its items join the end of its thread in any case. Otherwise a response that settled meanwhile makes it a
   * branch; for tool outputs only another response to the same calls does.
   */
  readonly isLogged: boolean;
  readonly named: string | null;
  readonly previous: string | null;
  readonly input: readonly Said[];
  /** The response whose calls it answers in their thread; null on a branch. */
  readonly answers: StoredResponse | null;
  /** The user turn that dropped its calls. */
  closedBy: StoredResponse | null;
  /** Whether a response to its calls was deleted: no output is required any more. */
  isExcused: boolean;
  status: "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
  output: readonly Said[];
  /** Length of the thread after its entries; -1 before they are added. */
  end: number;
  isDeleted: boolean;
}

/** The expected error of a request. */
export interface Rejected {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
}

/** The outcome of an accepted create. */
export interface Planned {
  readonly view: View;
  readonly isLogged: boolean;
  readonly previous: string | null;
  /** The first response of the turn that this one continues; null when it begins a response. */
  readonly root: StoredResponse | null;
  readonly input: readonly Said[];
  /** The response whose calls it answers. */
  readonly answers: StoredResponse | null;
  /** Whether it drops waiting calls, and closes them. */
  readonly drops: boolean;
  /** The prompt, one line for each item. */
  readonly prompt: readonly string[];
}

export type Route = { readonly kind: "new" } | { readonly kind: "conversation" | "previous"; readonly id: string };

export type Sent = Said | { readonly kind: "reference"; readonly id: string };

export const NOT_FOUND: Rejected = { status: 404, code: "resource_not_found", param: null };

export const invalid = (param: string): Rejected => ({ status: 400, code: "invalid_input", param });

export function isRejected(plan: Planned | Rejected): plan is Rejected {
  return "status" in plan;
}

/**
 * Whether a user turn must wait for results of a response's calls: not after it was cut short, nor after a response to
 * them was deleted.
 */
export function owesResults({ status, isExcused }: StoredResponse): boolean {
  return status === "completed" && !isExcused;
}
