// Runs one random program on the service and compares each reply with the oracle's.
//
// The files of this law, in the order to read them:
//   history-programs   random programs: requests that name their targets by distance
//   history-draws      resolves those names when a program runs
//   history-model      the data of the oracle; history-oracle: what the documents say of each request
//   history-session    service, oracle and steps so far, shared by the rest
//   history-responses, history-conversations, history-retries   one file for each kind of request
//   history-wire, history-prompt   between the oracle and the wires of clients and providers
//   history-checks     compares reply and prompt with the oracle's
import assert from "node:assert/strict";
import type { TestService } from "../support/service.ts";
import { actOnConversation, createConversation, readList } from "./history-conversations.ts";
import {
  type Conversation,
  isRejected,
  owesResults,
  type Route,
  type Said,
  type StoredResponse,
  type View,
} from "./history-model.ts";
import type { Action, Play } from "./history-programs.ts";
import { retry } from "./history-retries.ts";
import { HistorySession, type Window } from "./history-session.ts";
import { actOnResponse, create, DROP, letGo, readResponse, run } from "./history-responses.ts";
import { toWire } from "./history-wire.ts";

type ContinuedRoute = Route & { kind: "conversation" | "previous" };

export class HistoryProgram {
  readonly organizationId: string;
  readonly #session: HistorySession;

  private constructor(organizationId: string, session: HistorySession) {
    this.organizationId = organizationId;
    this.#session = session;
  }

  static async open(service: TestService, window: Window | null = null): Promise<HistoryProgram> {
    const { organizationId } = await service.newOrganization();
    const other = await service.newOrganization();
    const keys = [organizationId, organizationId, other.organizationId].map((id) => service.newKey(id));
    const secrets = (await Promise.all(keys)).map(({ secret }) => secret);
    return new HistoryProgram(organizationId, new HistorySession(service, secrets, window));
  }

  async close(): Promise<void> {
    const { service, held } = this.#session;
    service.provider.forgets();
    for (const { open, stream } of held) {
      open();
      await stream.closed;
    }
  }

  act(action: Action): Promise<void> {
    return this.#session.traced(() => this.#act(action));
  }

  #act(action: Action): Promise<void> {
    const session = this.#session;
    switch (action.do) {
      case "create conversation":
        return createConversation(session, action);
      case "let go":
        return letGo(session, action.at);
      case "again":
        return retry(session, action);
      case "create":
        return create(session, action);
      case "retrieve":
      case "cancel":
      case "delete response":
        return actOnResponse(session, action);
      default:
        return actOnConversation(session, action);
    }
  }

  async letAllGo(): Promise<void> {
    while (this.#session.held.length > 0) await this.act({ do: "let go", at: 0 });
  }

  /** Every response and every list, as their owners see them. */
  async readAll(): Promise<void> {
    const session = this.#session;
    for (const turn of session.oracle.turns) await session.traced(() => readResponse(session, turn.key, turn));
    for (const [index, conversation] of session.oracle.conversations.entries()) {
      if (conversation.isDeleted) continue;
      for (const order of ["asc", "desc"] as const) {
        await session.traced(() => readList(session, conversation, 1 + (index % 3), order));
      }
    }
  }

  /** A new turn on everything that still exists, once waiting calls are answered. */
  async goOnEverywhere(): Promise<void> {
    const { oracle } = this.#session;
    const routes: (ContinuedRoute & { key: string })[] = [
      ...oracle.conversations
        .filter(({ isDeleted }) => !isDeleted)
        .map(({ id, key }) => ({ kind: "conversation" as const, id, key })),
      ...oracle.turns
        .filter(({ id, key, status }) => oracle.turn(key, id) !== null && status !== "failed")
        .map(({ id, key }) => ({ kind: "previous" as const, id, key })),
    ];
    for (const { key, ...route } of routes) await this.#session.traced(() => this.#goOn(key, route));
  }

  async #goOn(key: string, from: ContinuedRoute): Promise<void> {
    const { oracle, draws, truncation } = this.#session;
    let route = from;
    // Deleted together with another.
    if (route.kind === "previous" && oracle.turn(key, route.id) === null) return;
    let isTooLong = false;
    for (let round = 0; round < 20; round++) {
      const { waits } = this.#viewOf(route);
      const isOwed = waits.some(({ turn }) => turn !== null && owesResults(turn));
      // Any way to continue will do: outputs, a user turn that drops the calls, or one without waiting calls.
      const drops = isOwed && (isTooLong || (round + oracle.turns.length) % 3 === 0);
      const goesPast = drops || (!isOwed && oracle.turns.length % 2 === 0);
      const call = goesPast ? undefined : waits[0];
      const of = waits.filter(({ turn }) => turn === call?.turn);
      const sent: Said[] =
        call === undefined
          ? [{ kind: "user", text: draws.text("u") }]
          : of.map(({ said }) => ({
              kind: "result",
              callId: said.kind === "call" ? said.callId : "",
              text: draws.text("r"),
            }));
      const planned = oracle.plan(key, route, sent, { drops });
      if (isRejected(planned)) assert.fail(`${JSON.stringify(route)} can't go on: ${JSON.stringify(planned)}`);
      const play: Play = { steps: ["text"], ending: "finished", holdAt: null };
      const name = route.kind === "conversation" ? { conversation: route.id } : { previous_response_id: route.id };
      const request = {
        model: "test/all",
        input: sent.map(toWire),
        ...name,
        ...truncation,
        ...(drops ? DROP : {}),
      };
      const named = route.kind === "conversation" ? route.id : null;
      const steps = draws.steps(play);
      const turn = await run(this.#session, { by: key, named, planned, play, steps, request, headers: {} });
      if (call === undefined) return;
      if (turn === null) {
        // Its response is too long for the window: dropping its calls is the way to continue.
        isTooLong = true;
        continue;
      }
      if (route.kind === "previous") route = { kind: "previous", id: turn.id };
    }
    assert.fail("never comes to an end");
  }

  #viewOf({ kind, id }: ContinuedRoute): View {
    const { oracle } = this.#session;
    if (kind === "conversation")
      return oracle.viewOfAll(oracle.conversations.find((each) => each.id === id) as Conversation);
    return oracle.viewFrom(oracle.turns.find((each) => each.id === id) as StoredResponse, []);
  }
}
