// Runs a random program on a service with all four families: turns that end, hang, fail or are truncated, tool outputs,
// and other requests between them.
import assert from "node:assert/strict";
import fc from "../support/fast-check.ts";
import type { Reply, Loose } from "../support/http-client.ts";
import { LiveStream } from "../support/live-stream.ts";
import type { TestService } from "../support/service.ts";
import { until } from "../support/until.ts";

/**
 * Inputs with directives of the simulated models; `hangsAfter` is the event after which the program leaves a hanging
 * response.
 */
const SCRIPTS: readonly { readonly says: string; readonly hangsAfter?: string }[] = [
  { says: "/say Hello." },
  { says: "/tool look_up {}" },
  { says: "/reason Hm.\n/say Let me see.\n/tool look_up {}\n/tool look_up {}" },
  { says: "/tool look_up {}\n/then\n/reason Hm.\n/tool look_up {}\n/then\n/say Found." },
  { says: "/tool look_up {}\n/then\n/hang" },
  { says: "/tool look_up {}\n/then\n/fail provider_client_error" },
  { says: "/say Let me see.\n/tool look_up {}\n/tool look_up {}\n/incomplete" },
  { says: "/say Let me\n/incomplete" },
  { says: "/refuse" },
  { says: "/say Well,\n/tool look_up {}\n/fail provider_client_error" },
  { says: "/fail provider_rate_limited" },
  { says: "/hang", hangsAfter: "response.in_progress" },
  { says: "/say Well,\n/hang", hangsAfter: "response.output_text.delta" },
  { says: "/reason Hm.\n/tool look_up {}\n/tool look_up {}\n/hang", hangsAfter: "response.output_item.added" },
];

type Route = "conversation" | "latest" | "earlier";

export type Action =
  | {
      readonly do: "say";
      readonly route: Route;
      readonly at: number;
      readonly model: number;
      readonly script: number;
      readonly drops: boolean;
    }
  | { readonly do: "answer"; readonly at: number; readonly model: number; readonly route: "conversation" | "maker" }
  | { readonly do: "cancel" | "delete" | "drop connection" | "delete item"; readonly at: number }
  | { readonly do: "add"; readonly what: readonly ("user" | "assistant" | "exchange" | "call" | "output")[] }
  | { readonly do: "crash" };

const at = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(6));
const model = fc.nat(3);
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      route: fc.constantFrom<Route>("conversation", "conversation", "latest", "earlier"),
      at,
      model,
      script: fc.nat(SCRIPTS.length - 1),
      drops: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      at,
      model,
      route: fc.constantFrom("conversation" as const, "maker" as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("cancel" as const, "delete" as const, "drop connection" as const, "delete item" as const),
      at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      what: fc.array(fc.constantFrom("user", "assistant", "exchange", "call", "output"), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const) }) },
);

export const programs: fc.Arbitrary<readonly Action[]> = fc.array(anyAction, { minLength: 1, maxLength: 14 });

const TOOLS = [{ type: "function", name: "look_up", parameters: { type: "object", properties: {} } }];
const DROP = { "svc:unanswered_calls": "drop" };
const CONTINUABLE = ["completed", "incomplete", "cancelled"];

export class InterruptionProgram {
  readonly #service: TestService;
  readonly #models: readonly string[];
  readonly #crash: () => Promise<void>;
  readonly #key: string;
  readonly #conversation: string;
  /** Every response id that a client has received. */
  readonly #responses: string[] = [];
  readonly #streams: LiveStream[] = [];
  /** The requests and replies so far, for the message of a failure. */
  readonly trace: string[] = [];
  #made = 0;

  private constructor(
    service: TestService,
    models: readonly string[],
    crash: () => Promise<void>,
    key: string,
    conversation: string,
  ) {
    this.#service = service;
    this.#models = models;
    this.#crash = crash;
    this.#key = key;
    this.#conversation = conversation;
  }

  static async open(service: TestService, models: readonly string[], crash: () => Promise<void>) {
    const { organizationId } = await service.newOrganization();
    const { secret } = await service.newKey(organizationId);
    const { json } = await service.request("POST", "/v1/conversations", { key: secret });
    return new InterruptionProgram(service, models, crash, secret, json.id);
  }

  async act(action: Action): Promise<void> {
    this.trace.push(JSON.stringify(action));
    switch (action.do) {
      case "say": {
        const { says, hangsAfter = null } = SCRIPTS[action.script] ?? { says: "/say Hello." };
        const named = this.#named(action.route, action.at);
        const body = { ...named, input: says, ...(action.drops ? DROP : {}) };
        // Without a stream a failing response is withdrawn.
        if (hangsAfter === null && action.at % 2 === 1) return this.#wait(body, action.model);
        return this.#stream(body, action.model, hangsAfter);
      }
      case "answer":
        return this.#answer(action);
      case "cancel":
        return this.#of(action.at, (id) => this.#request("POST", `/v1/responses/${id}/cancel`));
      case "delete":
        return this.#of(action.at, (id) => this.#request("DELETE", `/v1/responses/${id}`));
      case "drop connection":
        back(this.#streams, action.at)?.drop();
        return;
      case "delete item": {
        const { json } = await this.#request("GET", `${this.#path}/items?limit=100&order=desc`);
        const item = back<Loose>(json.data.toReversed(), action.at);
        if (item !== undefined) await this.#request("DELETE", `${this.#path}/items/${item.id}`);
        return;
      }
      case "add":
        return this.#add(action.what);
      case "crash":
        await this.#crash();
        return;
      default:
        action satisfies never;
    }
  }

  /** Asserts that a plain user message gets a reply on every route: as it is, or with the field that drops calls. */
  async goOnEverywhere(): Promise<void> {
    const routes: object[] = [{ conversation: this.#conversation }];
    for (const id of this.#responses) {
      const { status, json } = await this.#request("GET", `/v1/responses/${id}`);
      if (status === 200 && CONTINUABLE.includes(json.status)) routes.push({ previous_response_id: id });
    }
    for (const [index, named] of routes.entries()) {
      const body = { ...named, model: this.#models[(this.#made + index) % this.#models.length], input: "/say Fine." };
      let answer = await this.#request("POST", "/v1/responses", body);
      if (answer.status === 400) {
        assert.match(answer.json.error.message, /"svc:unanswered_calls": "drop"/);
        answer = await this.#request("POST", "/v1/responses", { ...body, ...DROP });
      }
      assert.deepEqual(
        [answer.status, answer.json.status, textOf(answer.json)],
        [200, "completed", "Fine."],
        answer.text,
      );
    }
  }

  /** Cancels hanging responses. */
  async close(): Promise<void> {
    for (const id of this.#responses) await this.#request("POST", `/v1/responses/${id}/cancel`);
    await Promise.all(this.#streams.map(({ closed }) => closed));
  }

  get #path(): string {
    return `/v1/conversations/${this.#conversation}`;
  }

  #named(route: Route, atPlace: number): object {
    const id = back(this.#responses, route === "latest" ? 0 : atPlace);
    return route === "conversation" || id === undefined
      ? { conversation: this.#conversation }
      : { previous_response_id: id };
  }

  async #of(atPlace: number, ask: (id: string) => Promise<unknown>): Promise<void> {
    const id = back(this.#responses, atPlace);
    if (id !== undefined) await ask(id);
  }

  /** Sends outputs for all calls of a response, whether they wait or not. */
  async #answer({ at: atPlace, model: which, route }: Extract<Action, { do: "answer" }>): Promise<void> {
    const id = back(this.#responses, atPlace);
    if (id === undefined) return;
    const { json } = await this.#request("GET", `/v1/responses/${id}`);
    const calls = (json.output ?? []).filter(
      ({ type, status }: Loose) => type === "function_call" && status === "completed",
    );
    if (calls.length === 0) return;
    const input = calls.map(({ call_id }: Loose) => ({ type: "function_call_output", call_id, output: "found" }));
    const named = route === "conversation" ? { conversation: this.#conversation } : { previous_response_id: id };
    // The directives for this round may hang at once; its output does not matter.
    await this.#stream({ ...named, input }, which, "response.in_progress");
  }

  async #add(what: Extract<Action, { do: "add" }>["what"]): Promise<void> {
    const { json } = await this.#request("GET", `${this.#path}/items?limit=100`);
    const output = (call_id: string) => ({ type: "function_call_output", call_id, output: "found" });
    const answered = new Set(
      json.data.flatMap(({ type, call_id }: Loose) => (type === "function_call_output" ? [call_id] : [])),
    );
    const open = json.data.filter(({ type, call_id }: Loose) => type === "function_call" && !answered.has(call_id));
    const items = what.flatMap((each): object[] => {
      const call_id = `added_${++this.#made}`;
      const call = { type: "function_call", call_id, name: "look_up", arguments: "{}" };
      if (each === "exchange") return [call, output(call_id)];
      if (each === "call") return [call];
      if (each === "output") return open.splice(0, 1).map((waiting: Loose) => output(waiting.call_id));
      return [{ role: each, content: `Added ${this.#made}` }];
    });
    await this.#request("POST", `${this.#path}/items`, { items });
  }

  /** Sends a streamed response and waits until it has ended or hangs. */
  async #stream(body: object, which: number, hangsAfter: string | null): Promise<void> {
    const request = { ...body, model: this.#models[which], tools: TOOLS };
    this.trace.push(`  POST /v1/responses ${JSON.stringify(request)}`);
    const stream = await LiveStream.open({ baseUrl: this.#service.baseUrl, key: this.#key }, request);
    const isSeen = (type: string) => stream.events.some(({ event }) => event === type);
    await until("the turn", () => stream.isClosed || (hangsAfter !== null && isSeen(hangsAfter)));
    assert.ok([200, 400, 404].includes(stream.status), stream.text);
    this.trace.push(`  ${stream.status} ${stream.status === 200 ? stream.id : stream.text}`);
    if (stream.status !== 200) return;
    this.#responses.push(stream.id);
    this.#streams.push(stream);
  }

  /** Sends a response that does not stream. */
  async #wait(body: object, which: number): Promise<void> {
    const request = { ...body, model: this.#models[which], tools: TOOLS };
    const { status, json } = await this.#request("POST", "/v1/responses", request);
    if (status === 200) this.#responses.push(json.id);
  }

  async #request(method: string, path: string, body?: object): Promise<Reply> {
    const answer = await this.#service.request(method, path, {
      key: this.#key,
      ...(body === undefined ? {} : { body }),
    });
    this.trace.push(
      `  ${method} ${path} ${body === undefined ? "" : JSON.stringify(body)} ${answer.status} ${answer.text.slice(0, 300)}`,
    );
    assert.ok([200, 400, 404, 429].includes(answer.status), answer.text);
    return answer;
  }
}

function textOf({ output }: Loose): string {
  return (output ?? []).flatMap(({ content = [] }: Loose) => content.map((part: Loose) => part.text ?? "")).join("");
}

/** An element, counted from the newest. */
function back<T>(all: readonly T[], atPlace: number): T | undefined {
  return all.length === 0 ? undefined : all[all.length - 1 - (atPlace % all.length)];
}
