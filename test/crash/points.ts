// The points at which the service can be killed: between any two steps of a response, and of a conversation's writes.
// `crash-at.ts` knows where each of them is; docs/architecture.md (The road of POST /v1/responses) lists the steps.

/**
 * Points of a write: before it is sent to the writer, in the open transaction, after the commit, before its caller gets
 * the result.
 */
type WritePoint<Write extends string> = `${Write}-${"sent" | "uncommitted" | "committed" | "answered"}`;

export type Point =
  | WritePoint<"begin" | "extend" | "settle" | "add">
  /** The provider's request is created, is sent, is being answered. */
  | "provider-asked"
  | "provider-sent"
  | "provider-answering"
  /** The reply to the client: before its headers, after its end was passed to the socket. */
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
