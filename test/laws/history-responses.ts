// The responses of a random program: created, held, let go, retrieved, cancelled, deleted.
import assert from "node:assert/strict";
import type { Loose } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate } from "../support/scripted-provider.ts";
import { until } from "../support/until.ts";
import { expectReply, expectSent, expectResponse, isTooLongAlone, sizeOf } from "./history-checks.ts";
import { back } from "./history-draws.ts";
import { isRejected, NOT_FOUND, type Planned, type Rejected, type StoredResponse } from "./history-model.ts";
import { outputOf } from "./history-prompt.ts";
import type { Action, Play, Step } from "./history-programs.ts";
import { CONFLICT, post } from "./history-retries.ts";
import type { Held, HistorySession } from "./history-session.ts";
import { actsOf, partsOf, responseOf, statusOf, toWire } from "./history-wire.ts";

const IN_PROGRESS: Rejected = { status: 409, code: "idempotency_in_progress", param: null };
const OVERLOADED: Rejected = { status: 502, code: "provider_overloaded", param: null };
const TOOLS = [{ type: "function", name: "look_up" }];

/** The field of a request that drops waiting calls. */
export const DROP = { "svc:unanswered_calls": "drop" };

/** A response to run, and the request that creates it. */
export interface NewResponse {
  readonly by: string;
  /** The conversation that the request names. */
  readonly named: string | null;
  readonly planned: Planned;
  readonly play: Play;
  readonly steps: readonly Step[];
  readonly request: Loose;
  readonly headers: Record<string, string>;
}

export async function create(session: HistorySession, action: Extract<Action, { do: "create" }>): Promise<void> {
  const { oracle, draws } = session;
  const { play, stream, isKeyed } = action;
  // A live stream of the tests always names one.
  const namesModel = action.namesModel || action.input.kind === "results" || play.holdAt !== null;
  const target = draws.target(action);
  const key = session.key(action.by, target.owner);
  const sent = draws.input(action.input, target);
  const steps = draws.steps(play);
  const { route } = target;
  const isHeld = play.holdAt !== null;
  const body = {
    ...(namesModel ? { model: "test/all" } : {}),
    tools: TOOLS,
    ...session.truncation,
    input: sent.map(toWire),
    ...(route.kind === "conversation" ? { conversation: route.id } : {}),
    ...(route.kind === "previous" ? { previous_response_id: route.id } : {}),
    ...(action.drops ? DROP : {}),
    ...(stream || isHeld ? { stream: true } : {}),
  };
  await post(session, { path: "/v1/responses", by: key, body, isKeyed }, async (by, request, headers) => {
    const planned = oracle.plan(by, route, sent, { namesModel, drops: action.drops });
    if (isRejected(planned)) {
      expectReply(await session.request("POST", "/v1/responses", by, request, headers), planned);
      return null;
    }
    const named = route.kind === "conversation" ? route.id : null;
    const turn = await (isHeld ? hold : run)(session, { by, named, planned, play, steps, request, headers });
    if (turn === null) return null;
    return () => {
      if (oracle.turn(turn.key, turn.id) === null) return CONFLICT;
      return turn.status === "in_progress" ? IN_PROGRESS : (again) => expectResponse(responseOf(again), turn);
    };
  });
}

/** Runs a response that ends at once; null when it was rejected. */
export async function run(session: HistorySession, toRun: NewResponse): Promise<StoredResponse | null> {
  const { service, oracle } = session;
  const { by, named, planned, play, steps, request, headers } = toRun;
  service.provider.plays(actsOf(steps, 0, play.ending));
  const reply = await session.request("POST", "/v1/responses", by, request, headers);
  if (isTooLong(session, planned, reply.status, reply.json?.error?.code)) return null;
  expectPrompt(session, planned);
  if (play.ending === "provider_overloaded" && request.stream !== true) {
    expectReply(reply, OVERLOADED);
    return null;
  }
  assert.equal(reply.status, 200, reply.text);
  const turn = oracle.begin(by, named, planned);
  turn.id = responseOf(reply).id;
  oracle.settle(turn, statusOf(play.ending), outputOf(steps, play.ending === "finished" ? "finished" : "cut"));
  expectResponse(responseOf(reply), turn);
  return turn;
}

/** Starts a turn that waits for the test after some of its steps; null when it was rejected. */
async function hold(session: HistorySession, toRun: NewResponse): Promise<StoredResponse | null> {
  const { service, trace } = session;
  const { by, named, planned, play, steps, request, headers } = toRun;
  const holdAt = Math.min(play.holdAt ?? 0, steps.length);
  const { opened, open } = gate();
  const [before, behind] = [partsOf(steps.slice(0, holdAt), 0), actsOf(steps.slice(holdAt), holdAt, play.ending)];
  service.provider.plays([...(before.length === 0 ? [] : [before]), opened, ...behind]);
  const calls = service.provider.calls.length;
  trace.push(`held at ${holdAt}: POST /v1/responses ${JSON.stringify(request)}`);
  const stream = await LiveStream.open({ baseUrl: service.baseUrl, key: by }, request, { headers });
  if (stream.status === 200) await until("the call", () => service.provider.calls.length > calls);
  else await stream.closed;
  if (isTooLong(session, planned, stream.status, stream.text)) return null;
  assert.equal(stream.status, 200, stream.text);
  expectPrompt(session, planned);
  await stream.sees("response.in_progress");
  const turn = session.oracle.begin(by, named, planned);
  turn.id = stream.id;
  trace.push(`  is ${turn.id}`);
  session.held.push({ turn, stream, steps, holdAt, play, open });
  return turn;
}

function expectPrompt({ service, window }: HistorySession, planned: Planned): void {
  expectSent(service.provider.calls.at(-1)?.prompt, planned, window?.usable ?? Infinity);
}

/** Whether tool outputs failed because their whole turn, which is never split, does not fit the window. */
function isTooLong({ service, window }: HistorySession, planned: Planned, status: number, error: unknown): boolean {
  if (status !== 400 || !String(error).includes("context_length_exceeded")) return false;
  assert.ok(window !== null && planned.root !== null && sizeOf(planned) > window.usable);
  // Items that a client added while the calls waited belong to the response too.
  if (planned.view.entries.every(({ turn }) => turn !== null)) assert.ok(isTooLongAlone(planned, window.usable));
  service.provider.forgets();
  return true;
}

/** Lets a held response run to its end. */
export async function letGo(session: HistorySession, at: number): Promise<void> {
  const held = back(session.held, at);
  if (held === undefined) return;
  session.trace.push(`let go ${held.turn.id}`);
  held.open();
  await expectEnd(session, held, statusOf(held.play.ending));
}

/** Waits for the end of a response that was let go, cancelled or deleted. */
export async function expectEnd(session: HistorySession, held: Held, status: StoredResponse["status"]): Promise<void> {
  const { turn, stream, steps, holdAt, play } = held;
  session.held.splice(session.held.indexOf(held), 1);
  await stream.closed;
  const isCancelled = status === "cancelled";
  const done = isCancelled ? steps.slice(0, holdAt) : steps;
  const output = outputOf(done, !isCancelled && play.ending === "finished" ? "finished" : "cut");
  session.oracle.settle(turn, status, output);
  expectResponse(stream.events.at(-1)?.data.response, turn);
}

export async function actOnResponse(
  session: HistorySession,
  action: Extract<Action, { do: "retrieve" | "cancel" | "delete response" }>,
): Promise<void> {
  const { oracle } = session;
  const turn = back(oracle.turns, action.at);
  if (turn === undefined) return;
  const key = session.key(action.by, turn.key);
  const path = `/v1/responses/${turn.id}`;
  const missing = oracle.turn(key, turn.id) === null ? NOT_FOUND : null;
  const held = session.held.find((each) => each.turn === turn);
  if (action.do === "retrieve") return readResponse(session, key, turn);
  if (action.do === "cancel") {
    const reply = await session.request("POST", `${path}/cancel`, key);
    if (expectReply(reply, missing)) return;
    if (held !== undefined) await expectEnd(session, held, "cancelled");
    expectResponse(reply.json, turn);
    return;
  }
  const reply = await session.request("DELETE", path, key);
  // Repeating it is no error for the owner.
  const isRepeat = key === turn.key && turn.isDeleted && turn.thread.conversation?.isDeleted !== true;
  if (expectReply(reply, isRepeat ? null : missing)) return;
  assert.deepEqual(reply.json, { id: turn.id, object: "response.deleted", deleted: true });
  if (held !== undefined) await expectEnd(session, held, "cancelled");
  oracle.deleteStored(turn);
}

export async function readResponse(session: HistorySession, key: string, turn: StoredResponse): Promise<void> {
  const reply = await session.request("GET", `/v1/responses/${turn.id}`, key);
  const missing = session.oracle.turn(key, turn.id) === null ? NOT_FOUND : null;
  if (!expectReply(reply, missing)) expectResponse(reply.json, turn);
}
