// Requests with an Idempotency-Key, and their retries.
import { expectReply } from "./history-checks.ts";
import { back } from "./history-draws.ts";
import type { Rejected } from "./history-model.ts";
import type { Action } from "./history-programs.ts";
import type { HistorySession, Keyed, Replay } from "./history-session.ts";

export const CONFLICT: Rejected = { status: 409, code: "idempotency_conflict", param: null };

/**
 * A POST that may carry an Idempotency-Key. `run` sends it as if for the first time and returns the expected result of
 * a retry.
 */
export async function post(
  session: HistorySession,
  sent: { readonly path: string; readonly by: string; readonly body: object; readonly isKeyed: boolean },
  run: (by: string, body: object, headers: Record<string, string>) => Promise<Replay | null>,
): Promise<void> {
  const { path, by, body, isKeyed } = sent;
  const headers = isKeyed ? { "idempotency-key": session.draws.next("k") } : {};
  const keyed: Keyed = {
    by,
    path,
    body,
    headers,
    replay: null,
    run: async (key, request) => {
      keyed.replay = await run(key, request, headers);
    },
  };
  if (isKeyed) session.keyed.push(keyed);
  await keyed.run(by, body);
}

/** Sends an earlier request again: with the same or another key, with the same or another body. */
export async function retry(
  session: HistorySession,
  { at, by, isOther }: Extract<Action, { do: "again" }>,
): Promise<void> {
  const keyed = back(session.keyed, at);
  if (keyed === undefined) return;
  if (keyed.replay === null) return keyed.run(keyed.by, keyed.body);
  // Another key of the organization cannot read the result; another organization has its own idempotency keys.
  const key = by === 1 ? session.key(1, keyed.by) : keyed.by;
  const foreign = session.keys[2];
  if (key !== keyed.by && (key === foreign || keyed.by === foreign || /conv_/.test(keyed.path))) return;
  const body = isOther ? { ...keyed.body, metadata: { other: "body" } } : keyed.body;
  const reply = await session.request("POST", keyed.path, key, body, keyed.headers);
  const expected = isOther || key !== keyed.by ? CONFLICT : keyed.replay();
  if (typeof expected === "function") expected(reply);
  else expectReply(reply, expected);
}
