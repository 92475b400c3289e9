// The points at which the service can be made to die: between any two steps of a turn, and of a conversation's writes.
// `crash-at.ts` knows where each of them is; the steps stand in docs/architecture.md (The path of POST /v1/responses).

/** Points in the life of a write: before it is sent to the writer, in the open transaction, after the commit, before its caller hears. */
type WritePoint<Write extends string> = `${Write}-${"sent" | "uncommitted" | "committed" | "answered"}`;

export type Point =
  | WritePoint<"begin" | "extend" | "settle" | "add">
  /** The provider's request is made, has left, is being answered. */
  | "provider-asked"
  | "provider-sent"
  | "provider-answering"
  /** The client's answer: before its headers, after its end was handed to the socket. */
  | "answer-begun"
  | "answer-ended";

export const POINTS: readonly Point[] = [
  "begin-sent",
  "begin-uncommitted",
  "begin-committed",
  "begin-answered",
  "provider-asked",
  "provider-sent",
  "provider-answering",
  "extend-sent",
  "extend-uncommitted",
  "extend-committed",
  "extend-answered",
  "settle-sent",
  "settle-uncommitted",
  "settle-committed",
  "settle-answered",
  "answer-begun",
  "answer-ended",
  "add-sent",
  "add-uncommitted",
  "add-committed",
  "add-answered",
];
