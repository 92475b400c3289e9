// Runs one random program on the service and compares each reply with the oracle's.
import assert from "node:assert/strict";
import type { Reply, Loose } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import { gate } from "../support/scripted-provider.ts";
import type { TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { expectConversation, expectList, expectReply, expectSent, expectTurn, sizeOf } from "./history-checks.ts";
import { back, HistoryDraws } from "./history-draws.ts";
import { HistoryOracle } from "./history-oracle.ts";
import {
  type Conversation,
  type Entry,
  invalid,
  isRejected,
  NOT_FOUND,
  type Planned,
  type Rejected,
  type Route,
  type Said,
  type Turn,
  owesResults,
  type View,
} from "./history-model.ts";
import { outputOf } from "./history-prompt.ts";
import type { Action, Play, Step } from "./history-programs.ts";
import { actsOf, lineOfWire, listed, partsOf, responseOf, statusOf, toWire } from "./history-wire.ts";

/** A window that truncates histories, and the text that fills it. */
export interface Window {
  /** Characters that fit. */
  readonly usable: number;
  readonly padding: string;
}

type Create = Extract<Action, { do: "create" }>;

/** A turn that waits for the test, and its ending then. */
interface Held {
  readonly turn: Turn;
  readonly stream: LiveStream;
  readonly steps: readonly Step[];
  readonly holdAt: number;
  readonly play: Play;
  open(): void;
}

/** The expected result of a retry: an error, or a check of the reply. */
type Replay = () => Rejected | ((again: Reply) => void);

/** A request with an Idempotency-Key and, if it was accepted, its result. */
interface Keyed {
  readonly by: string;
  readonly path: string;
  readonly body: object;
  readonly headers: Record<string, string>;
  /** The expected result of a retry; null: as if the request had never been sent. */
  replay: Replay | null;
  readonly run: (by: string, body: object) => Promise<void>;
}

const CONFLICT: Rejected = { status: 409, code: "idempotency_conflict", param: null };
const IN_PROGRESS: Rejected = { status: 409, code: "idempotency_in_progress", param: null };
const OVERLOADED: Rejected = { status: 502, code: "provider_overloaded", param: null };
const TOOLS = [{ type: "function", name: "look_up" }];
const DROP = { "svc:unanswered_calls": "drop" };

export class HistoryProgram {
  readonly organizationId: string;
  readonly #service: TestService;
  /** The first key does most; the second is of its organization, the third of another. */
  readonly #keys: readonly string[];
  readonly #oracle = new HistoryOracle();
  readonly #held: Held[] = [];
  readonly #keyed: Keyed[] = [];
  readonly #draws: HistoryDraws;
  readonly #window: Window | null;
  /** The steps so far, to explain a difference. */
  readonly #trace: string[] = [];

  private constructor(service: TestService, organizationId: string, keys: readonly string[], window: Window | null) {
    this.#service = service;
    this.#window = window;
    const running = () => this.#held.flatMap(({ steps }) => steps);
    this.#draws = new HistoryDraws(this.#oracle, running, window?.padding ?? "");
    this.organizationId = organizationId;
    this.#keys = keys;
  }

  static async open(service: TestService, window: Window | null = null): Promise<HistoryProgram> {
    const { organizationId } = await service.newOrganization();
    const other = await service.newOrganization();
    const keys = [organizationId, organizationId, other.organizationId].map((id) => service.newKey(id));
    return new HistoryProgram(
      service,
      organizationId,
      (await Promise.all(keys)).map(({ secret }) => secret),
      window,
    );
  }

  async close(): Promise<void> {
    this.#service.provider.forgets();
    for (const { open, stream } of this.#held) {
      open();
      await stream.closed;
    }
  }

  act(action: Action): Promise<void> {
    return this.#traced(() => this.#act(action));
  }

  #act(action: Action): Promise<void> {
    switch (action.do) {
      case "create conversation":
        return this.#createConversation(action);
      case "let go":
        return this.#letGo(action.at);
      case "again":
        return this.#again(action);
      case "create":
        return this.#create(action);
      case "retrieve":
      case "cancel":
      case "delete response":
        return this.#ofResponse(action);
      default:
        return this.#ofConversation(action);
    }
  }

  // Conversations

  async #createConversation({ by, items, isKeyed }: Extract<Action, { do: "create conversation" }>): Promise<void> {
    const sent = this.#draws.items([], items);
    const metadata = { made: this.#draws.next("m") };
    const body = { metadata, items: sent.map(toWire) };
    await this.#post("/v1/conversations", this.#key(by), body, isKeyed, async (key, request, headers) => {
      const answer = await this.#request("POST", "/v1/conversations", key, request, headers);
      const rejected = this.#oracle.rejectsItems([], sent);
      if (expectReply(answer, rejected)) return null;
      const conversation = this.#oracle.addConversation(key, answer.json.id, metadata);
      conversation.log.push(...sent.map(added));
      return () => (conversation.isDeleted ? CONFLICT : (again) => expectConversation(again, conversation));
    });
  }

  async #ofConversation(action: Extract<Action, { at: number; by: number }>): Promise<void> {
    const conversation = back(this.#oracle.conversations, action.at);
    if (conversation === undefined) return;
    const key = this.#key(action.by, conversation.key);
    const path = `/v1/conversations/${conversation.id}`;
    const missing = this.#oracle.conversation(key, conversation.id) === null ? NOT_FOUND : null;
    switch (action.do) {
      case "add items": {
        const sent = this.#draws.items(conversation.log, action.items);
        const body = { items: sent.map(toWire) };
        return this.#post(`${path}/items`, key, body, action.isKeyed, async (by, request, headers) => {
          const answer = await this.#request("POST", `${path}/items`, by, request, headers);
          const gone = this.#oracle.conversation(by, conversation.id) === null ? NOT_FOUND : null;
          if (expectReply(answer, gone ?? this.#oracle.rejectsItems(conversation.log, sent))) return null;
          const entries = sent.map(added);
          conversation.log.push(...entries);
          expectList(answer, entries);
          const isLost = () => conversation.isDeleted || entries.some(({ isDeleted }) => isDeleted);
          return () => (isLost() ? CONFLICT : (again) => expectList(again, entries));
        });
      }
      case "label": {
        const metadata = { label: this.#draws.next("m") };
        return this.#post(path, key, { metadata }, action.isKeyed, async (by, request, headers) => {
          const answer = await this.#request("POST", path, by, request, headers);
          if (expectReply(answer, this.#oracle.conversation(by, conversation.id) === null ? NOT_FOUND : null))
            return null;
          conversation.metadata = metadata;
          expectConversation(answer, conversation);
          return () => (conversation.isDeleted ? CONFLICT : (again) => expectConversation(again, conversation));
        });
      }
      case "delete conversation": {
        const answer = await this.#request("DELETE", path, key);
        // Repeating it is no error for the owner.
        if (expectReply(answer, key === conversation.key ? null : NOT_FOUND)) return;
        const running = this.#held.filter(({ turn }) => turn.thread.conversation === conversation);
        conversation.isDeleted = true;
        for (const held of running) await this.#ends(held, "cancelled");
        return;
      }
      case "list":
        if (missing === null) return this.#lists(conversation, action.limit, action.order);
        expectReply(await this.#request("GET", `${path}/items`, key), missing);
        return;
      case "delete item":
      case "retrieve item": {
        if (missing === null) await this.#lists(conversation, 500, "asc");
        const entry = back(
          conversation.log.filter(({ id }) => id !== null),
          action.item,
        );
        if (entry === undefined) return;
        const isThere = missing === null && !entry.isDeleted;
        const itemPath = `${path}/items/${entry.id}`;
        if (action.do === "retrieve item") {
          const answer = await this.#request("GET", itemPath, key);
          if (!expectReply(answer, isThere ? null : NOT_FOUND))
            assert.equal(lineOfWire(answer.json), listed(entry.said));
          return;
        }
        const answer = await this.#request("DELETE", itemPath, key);
        const rejected = !isThere ? NOT_FOUND : entry.turn === null ? null : invalid("item_id");
        if (expectReply(answer, rejected, { anyParam: true })) return;
        entry.isDeleted = true;
        expectConversation(answer, conversation);
        return;
      }
      default:
        assert.fail(action.do);
    }
  }

  // Responses

  async #create(action: Create): Promise<void> {
    const { play, stream, isKeyed } = action;
    // A live stream of the tests always names one.
    const namesModel = action.namesModel || action.input.kind === "results" || play.holdAt !== null;
    const target = this.#draws.target(action);
    const key = this.#key(action.by, target.owner);
    const sent = this.#draws.input(action.input, target);
    const steps = this.#draws.steps(play);
    const { route } = target;
    const isHeld = play.holdAt !== null;
    const body = {
      ...(namesModel ? { model: "test/all" } : {}),
      tools: TOOLS,
      ...this.#truncation,
      input: sent.map(toWire),
      ...(route.kind === "conversation" ? { conversation: route.id } : {}),
      ...(route.kind === "previous" ? { previous_response_id: route.id } : {}),
      ...(action.drops ? DROP : {}),
      ...(stream || isHeld ? { stream: true } : {}),
    };
    await this.#post("/v1/responses", key, body, isKeyed, async (by, request, headers) => {
      const planned = this.#oracle.plan(by, route, sent, { namesModel, drops: action.drops });
      if (isRejected(planned)) {
        expectReply(await this.#request("POST", "/v1/responses", by, request, headers), planned);
        return null;
      }
      const named = route.kind === "conversation" ? route.id : null;
      const turn = isHeld
        ? await this.#hold(by, named, planned, play, steps, request, headers)
        : await this.#run(by, named, planned, play, steps, request, headers);
      if (turn === null) return null;
      return () => {
        if (this.#oracle.turn(turn.key, turn.id) === null) return CONFLICT;
        return turn.status === "in_progress" ? IN_PROGRESS : (again) => expectTurn(responseOf(again), turn);
      };
    });
  }

  /** A turn that ends at once. */
  async #run(
    by: string,
    named: string | null,
    planned: Planned,
    play: Play,
    steps: readonly Step[],
    request: Loose,
    headers: Record<string, string>,
  ): Promise<Turn | null> {
    this.#service.provider.plays(actsOf(steps, 0, play.ending));
    const answer = await this.#request("POST", "/v1/responses", by, request, headers);
    if (this.#isTooLong(planned, answer.status, answer.json?.error?.code)) return null;
    expectSent(this.#service.provider.calls.at(-1)?.prompt, planned, this.#window?.usable ?? Infinity);
    if (play.ending === "provider_overloaded" && request.stream !== true) {
      expectReply(answer, OVERLOADED);
      return null;
    }
    assert.equal(answer.status, 200, answer.text);
    const turn = this.#oracle.begin(by, named, planned);
    turn.id = responseOf(answer).id;
    this.#oracle.settle(turn, statusOf(play.ending), outputOf(steps, play.ending === "finished" ? "finished" : "cut"));
    expectTurn(responseOf(answer), turn);
    return turn;
  }

  async #hold(
    by: string,
    named: string | null,
    planned: Planned,
    play: Play,
    steps: readonly Step[],
    request: object,
    headers: Record<string, string>,
  ): Promise<Turn | null> {
    const holdAt = Math.min(play.holdAt ?? 0, steps.length);
    const { opened, open } = gate();
    const [before, behind] = [partsOf(steps.slice(0, holdAt), 0), actsOf(steps.slice(holdAt), holdAt, play.ending)];
    this.#service.provider.plays([...(before.length === 0 ? [] : [before]), opened, ...behind]);
    const asked = this.#service.provider.calls.length;
    this.#trace.push(`held at ${holdAt}: POST /v1/responses ${JSON.stringify(request)}`);
    const stream = await LiveStream.open({ baseUrl: this.#service.baseUrl, key: by }, request, { headers });
    if (stream.status === 200) await until("the call", () => this.#service.provider.calls.length > asked);
    else await stream.closed;
    if (this.#isTooLong(planned, stream.status, stream.text)) return null;
    assert.equal(stream.status, 200, stream.text);
    expectSent(this.#service.provider.calls.at(-1)?.prompt, planned, this.#window?.usable ?? Infinity);
    await stream.sees("response.in_progress");
    const turn = this.#oracle.begin(by, named, planned);
    turn.id = stream.id;
    this.#trace.push(`  is ${turn.id}`);
    this.#held.push({ turn, stream, steps, holdAt, play, open });
    return turn;
  }

  async #letGo(at: number): Promise<void> {
    const held = back(this.#held, at);
    if (held === undefined) return;
    this.#trace.push(`let go ${held.turn.id}`);
    held.open();
    await this.#ends(held, statusOf(held.play.ending));
  }

  async letAllGo(): Promise<void> {
    while (this.#held.length > 0) await this.act({ do: "let go", at: 0 });
  }

  /** Waits for the end of a turn that was let go, cancelled or deleted. */
  async #ends(held: Held, status: Turn["status"]): Promise<void> {
    const { turn, stream, steps, holdAt, play } = held;
    this.#held.splice(this.#held.indexOf(held), 1);
    await stream.closed;
    const isCancelled = status === "cancelled";
    const done = isCancelled ? steps.slice(0, holdAt) : steps;
    const output = outputOf(done, !isCancelled && play.ending === "finished" ? "finished" : "cut");
    this.#oracle.settle(turn, status, output);
    expectTurn(stream.events.at(-1)?.data.response, turn);
  }

  async #ofResponse(action: Extract<Action, { do: "retrieve" | "cancel" | "delete response" }>): Promise<void> {
    const turn = back(this.#oracle.turns, action.at);
    if (turn === undefined) return;
    const key = this.#key(action.by, turn.key);
    const path = `/v1/responses/${turn.id}`;
    const missing = this.#oracle.turn(key, turn.id) === null ? NOT_FOUND : null;
    const held = this.#held.find((each) => each.turn === turn);
    if (action.do === "retrieve") return this.#reads(key, turn);
    if (action.do === "cancel") {
      const answer = await this.#request("POST", `${path}/cancel`, key);
      if (expectReply(answer, missing)) return;
      if (held !== undefined) await this.#ends(held, "cancelled");
      expectTurn(answer.json, turn);
      return;
    }
    const answer = await this.#request("DELETE", path, key);
    // Repeating it is no error for the owner.
    const isRepeat = key === turn.key && turn.isDeleted && turn.thread.conversation?.isDeleted !== true;
    if (expectReply(answer, isRepeat ? null : missing)) return;
    assert.deepEqual(answer.json, { id: turn.id, object: "response.deleted", deleted: true });
    if (held !== undefined) await this.#ends(held, "cancelled");
    this.#oracle.deleteTurn(turn);
  }

  async #reads(key: string, turn: Turn): Promise<void> {
    const answer = await this.#request("GET", `/v1/responses/${turn.id}`, key);
    const missing = this.#oracle.turn(key, turn.id) === null ? NOT_FOUND : null;
    if (!expectReply(answer, missing)) expectTurn(answer.json, turn);
  }

  // Retries

  /**
   * A POST that may carry an Idempotency-Key. `run` sends it as if for the first time and returns the expected result
   * of a retry.
   */
  async #post(
    path: string,
    by: string,
    body: object,
    isKeyed: boolean,
    run: (by: string, body: object, headers: Record<string, string>) => Promise<Replay | null>,
  ): Promise<void> {
    const headers = isKeyed ? { "idempotency-key": this.#draws.next("k") } : {};
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
    if (isKeyed) this.#keyed.push(keyed);
    await keyed.run(by, body);
  }

  async #again({ at, by, isOther }: Extract<Action, { do: "again" }>): Promise<void> {
    const keyed = back(this.#keyed, at);
    if (keyed === undefined) return;
    if (keyed.replay === null) return keyed.run(keyed.by, keyed.body);
    // Another key of the organization cannot read the result; another organization has its own idempotency keys.
    const key = by === 1 ? this.#key(1, keyed.by) : keyed.by;
    if (key !== keyed.by && (key === this.#keys[2] || keyed.by === this.#keys[2] || /conv_/.test(keyed.path))) return;
    const body = isOther ? { ...keyed.body, metadata: { other: "body" } } : keyed.body;
    const answer = await this.#request("POST", keyed.path, key, body, keyed.headers);
    const expected = isOther || key !== keyed.by ? CONFLICT : keyed.replay();
    if (typeof expected === "function") expected(answer);
    else expectReply(answer, expected);
  }

  // At the end

  /** Every response and every list, as their owners see them. */
  async readAll(): Promise<void> {
    for (const turn of this.#oracle.turns) await this.#traced(() => this.#reads(turn.key, turn));
    for (const [index, conversation] of this.#oracle.conversations.entries()) {
      if (conversation.isDeleted) continue;
      for (const order of ["asc", "desc"] as const) {
        await this.#traced(() => this.#lists(conversation, 1 + (index % 3), order));
      }
    }
  }

  /** A new turn on everything that still exists, once waiting calls are answered. */
  async goOnEverywhere(): Promise<void> {
    const routes: (Route & { kind: "conversation" | "previous"; key: string })[] = [
      ...this.#oracle.conversations
        .filter(({ isDeleted }) => !isDeleted)
        .map(({ id, key }) => ({ kind: "conversation" as const, id, key })),
      ...this.#oracle.turns
        .filter(({ id, key, status }) => this.#oracle.turn(key, id) !== null && status !== "failed")
        .map(({ id, key }) => ({ kind: "previous" as const, id, key })),
    ];
    for (const { key, ...route } of routes) await this.#traced(() => this.#goOn(key, route));
  }

  async #goOn(key: string, from: Route & { kind: "conversation" | "previous" }): Promise<void> {
    let route = from;
    // Deleted together with another.
    if (route.kind === "previous" && this.#oracle.turn(key, route.id) === null) return;
    let isTooLong = false;
    for (let round = 0; round < 20; round++) {
      const { waits } = this.#viewOf(route);
      const isOwed = waits.some(({ turn }) => turn !== null && owesResults(turn));
      // Any way to continue will do: outputs, a user turn that drops the calls, or one without waiting calls.
      const drops = isOwed && (isTooLong || (round + this.#oracle.turns.length) % 3 === 0);
      const goesPast = drops || (!isOwed && this.#oracle.turns.length % 2 === 0);
      const call = goesPast ? undefined : waits[0];
      const of = waits.filter(({ turn }) => turn === call?.turn);
      const sent: Said[] =
        call === undefined
          ? [{ kind: "user", text: this.#draws.text("u") }]
          : of.map(({ said }) => ({
              kind: "result",
              callId: said.kind === "call" ? said.callId : "",
              text: this.#draws.text("r"),
            }));
      const planned = this.#oracle.plan(key, route, sent, { drops });
      if (isRejected(planned)) assert.fail(`${JSON.stringify(route)} can't go on: ${JSON.stringify(planned)}`);
      const play: Play = { steps: ["text"], ending: "finished", holdAt: null };
      const name = route.kind === "conversation" ? { conversation: route.id } : { previous_response_id: route.id };
      const request = {
        model: "test/all",
        input: sent.map(toWire),
        ...name,
        ...this.#truncation,
        ...(drops ? DROP : {}),
      };
      const named = route.kind === "conversation" ? route.id : null;
      const turn = await this.#run(key, named, planned, play, this.#draws.steps(play), request, {});
      if (call === undefined) return;
      if (turn === null) {
        // Its turn is too long for the window: dropping its calls is the way to continue.
        isTooLong = true;
        continue;
      }
      if (route.kind === "previous") route = { kind: "previous", id: turn.id };
    }
    assert.fail("never comes to an end");
  }

  #viewOf({ kind, id }: Route & { kind: "conversation" | "previous" }): View {
    if (kind === "conversation")
      return this.#oracle.viewOfAll(this.#oracle.conversations.find((each) => each.id === id) as Conversation);
    return this.#oracle.viewFrom(this.#oracle.turns.find((each) => each.id === id) as Turn, []);
  }

  /** Reports a difference with all steps before it. */
  async #traced(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw new Error(`\n${this.#trace.join("\n")}\n${String(error)}`, { cause: error });
    }
  }

  // Lists and windows

  /** Walks all pages of a conversation. */
  async #lists(conversation: Conversation, limit: number, order: "asc" | "desc"): Promise<void> {
    const there = conversation.log.filter(({ isDeleted }) => !isDeleted);
    const entries = order === "asc" ? there : there.toReversed();
    for (let from = 0; ; from += limit) {
      const page = entries.slice(from, from + limit);
      const after = from === 0 ? "" : `&after=${entries[from - 1]?.id}`;
      const path = `/v1/conversations/${conversation.id}/items?limit=${limit}&order=${order}${after}`;
      const answer = await this.#request("GET", path, conversation.key);
      expectList(answer, page);
      const { first_id, last_id, has_more } = answer.json;
      const hasMore = from + limit < entries.length;
      assert.deepEqual([first_id, last_id, has_more], [page[0]?.id ?? "", page.at(-1)?.id ?? "", hasMore]);
      if (!hasMore) return;
    }
  }

  get #truncation(): object {
    return this.#window === null ? {} : { truncation: "auto" };
  }

  /** Whether tool outputs failed because their whole turn, which is never split, does not fit the window. */
  #isTooLong(planned: Planned, status: number, told: unknown): boolean {
    if (this.#window === null || planned.root === null || sizeOf(planned) <= this.#window.usable) return false;
    if (status !== 400 || !String(told).includes("context_length_exceeded")) return false;
    this.#service.provider.forgets();
    return true;
  }

  // Draws

  /** The key by number; 0: the owner's. */
  #key(by: number, owner = this.#keys[0] ?? ""): string {
    return by === 0 ? owner : (this.#keys.filter((key) => key !== owner)[by - 1] ?? owner);
  }

  async #request(
    method: string,
    path: string,
    key: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    this.#trace.push(
      `${this.#keys.indexOf(key)} ${method} ${path} ${body === undefined ? "" : JSON.stringify(body)} ${JSON.stringify(headers)}`,
    );
    const answer = await this.#service.request(method, path, { key, headers, ...(body === undefined ? {} : { body }) });
    this.#trace.push(`  ${answer.status} ${answer.json?.id ?? answer.text.slice(0, 200)}`);
    return answer;
  }
}

function added(said: Said): Entry {
  return { said: said.kind === "assistant" ? { ...said, isCut: false } : said, turn: null, id: null, isDeleted: false };
}
