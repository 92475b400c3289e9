// A client of the crash test: it performs one intent after another, records each before it sends it, and records what
// it receives. A request without a complete reply is sent again with the same key once the service is back.
import { setTimeout as sleep } from "node:timers/promises";
import { isTerminal, type ResponseStatus } from "../../src/contract/statuses.ts";
import { ask, type Heard, type Loose, wholeEvents } from "./exchange.ts";
import type { Memory } from "./memory.ts";
import type { Chance } from "./random.ts";
import type { Violations } from "./violations.ts";

/** A request that the client has decided to make. */
export interface Intent {
  readonly key: string;
  readonly kind: "turn" | "answer" | "items" | "conversation";
  readonly path: string;
  readonly body: Loose;
  /** Whether its items join the client's conversation. */
  readonly isListed: boolean;
  /** Whether it is cancelled at its first delta. */
  readonly isCancelled: boolean;
  /** How often it was sent. */
  sent: number;
  /** The id in the replies to its key. */
  id: string | null;
  /** Its final reply; null until it was received completely. */
  result: Loose;
}

export interface ClientWorld {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly memory: Memory;
  readonly violations: Violations;
}

/** The service is down. */
class Lost extends Error {}

const NEVER_HEARD_MAX = 400;

export class Client {
  readonly log: Intent[] = [];
  readonly #name: string;
  readonly #services: ClientWorld;
  readonly #chance: Chance;
  #conversation: string | null = null;
  /** The call that waits for an output in the conversation. */
  #waitingCall: string | null = null;
  /** A settled response outside the conversation, to continue from. */
  #latest: string | null = null;

  constructor(name: string, services: ClientWorld, chance: Chance) {
    this.#name = name;
    this.#services = services;
    this.#chance = chance;
  }

  get conversation(): string | null {
    return this.#conversation;
  }

  /** Finishes the open intent, then makes new ones while it may; returns when the service is down. */
  async live(mayGoOn: () => boolean): Promise<void> {
    try {
      for (;;) {
        const last = this.log.at(-1);
        if (last !== undefined && last.result === null) await this.pursue(last);
        else if (mayGoOn()) this.log.push(this.#next());
        else return;
      }
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }

  /** Sends every intent again: each key must return its first result. */
  async repeatAll(): Promise<void> {
    for (const intent of this.log) {
      const first = JSON.stringify(intent.result);
      const again =
        intent.body.stream === true
          ? this.#readStream(await this.#send(intent), intent)
          : await this.#readWhole(intent);
      this.#services.violations.require(
        JSON.stringify(again) === first,
        "I-06",
        () => `${intent.key}: ${first} → ${JSON.stringify(again)}`,
      );
    }
  }

  /** Sends an intent once; its result stays null when the reply did not end. */
  async pursue(intent: Intent): Promise<void> {
    const heard = await this.#send(intent);
    if (heard.status !== null && heard.status !== 200 && heard.isWhole) return this.#readRefusal(intent, heard);
    if (intent.body.stream === true && heard.status === 200) this.#readStream(heard, intent);
    else if (heard.isWhole) this.#take(intent, JSON.parse(heard.text));
    if (intent.result === null) throw new Lost();
    this.#follow(intent, intent.result);
  }

  async #send(intent: Intent): Promise<Heard> {
    const { baseUrl, apiKey } = this.#services;
    const { path, body, key } = intent;
    intent.sent++;
    let isCancelling = false;
    const onText = (text: string) => {
      if (!intent.isCancelled || isCancelling || !text.includes("response.output_text.delta")) return;
      isCancelling = true;
      const id = wholeEvents(text)[0]?.data.response.id;
      void this.#cancel(id);
    };
    return ask({ baseUrl, apiKey, method: "POST", path, body, key, onText });
  }

  async #cancel(id: string): Promise<void> {
    const { baseUrl, apiKey, memory } = this.#services;
    const heard = await ask({ baseUrl, apiKey, method: "POST", path: `/v1/responses/${id}/cancel` });
    if (heard.status === 200 && heard.isWhole) memory.hear(JSON.parse(heard.text), "cancel said");
  }

  async #readWhole(intent: Intent): Promise<Loose> {
    const heard = await this.#send(intent);
    if (heard.status !== 200) return { status: heard.status, text: heard.text };
    this.#take(intent, JSON.parse(heard.text));
    return JSON.parse(heard.text);
  }

  /** Records every response of a stream; returns the last one when the stream was complete. */
  #readStream(heard: Heard, intent: Intent): Loose {
    const events = wholeEvents(heard.text);
    for (const { data } of events) {
      if (data.response === undefined) continue;
      if (isTerminal(data.response.status)) this.#take(intent, data.response);
      else this.#services.memory.hearOf(data.response.id);
    }
    return events.at(-1)?.data.response ?? null;
  }

  #readRefusal(intent: Intent, { status, text }: Heard): Promise<void> {
    const code = JSON.parse(text).error?.code;
    const mayComeAgain = code === "idempotency_in_progress" || status === 503;
    if (!mayComeAgain || intent.sent > NEVER_HEARD_MAX) {
      this.#services.violations.add(
        "I-35",
        `${intent.key} (${intent.kind}, sent ${intent.sent} times) was answered ${status} ${text}`,
      );
      throw new Lost();
    }
    return sleep(50);
  }

  /** Records a reply to an intent's key. */
  #take(intent: Intent, answer: Loose): void {
    const { memory, violations } = this.#services;
    const id: string = intent.kind === "items" ? answer.first_id : answer.id;
    violations.require(
      intent.id === null || intent.id === id,
      "I-06",
      () => `${intent.key} made ${intent.id}, then ${id}`,
    );
    intent.id = id;
    if (answer.object === "response") {
      memory.hear(answer, `${intent.key} heard`);
      if (!isTerminal(answer.status as ResponseStatus)) return;
    }
    intent.result ??= answer;
  }

  /** Updates the state for the next intent. */
  #follow(intent: Intent, result: Loose): void {
    if (intent.kind === "conversation") this.#conversation = result.id;
    if (result.object !== "response" || result.status === "failed") return;
    const call = result.output.find((item: Loose) => item.type === "function_call" && item.status === "completed");
    if (intent.isListed) this.#waitingCall = call?.call_id ?? null;
    // Outside the conversation a waiting call is left alone: the next response branches before it.
    else if (call === undefined) this.#latest = result.id;
  }

  #next(): Intent {
    const { model } = this.#services;
    const key = `key-${this.#name}-${this.log.length}.`;
    const chance = this.#chance;
    const made = { key, sent: 0, id: null, result: null, isCancelled: false };
    const items = ["a", "b", "c"].map((part) => ({ role: "user", content: `${key} ${part}` }));
    const conversation = this.#conversation;
    if (conversation === null) {
      return { ...made, kind: "conversation", path: "/v1/conversations", body: { items }, isListed: true };
    }
    const stream = chance.draw() < 0.5;
    if (this.#waitingCall !== null) {
      const input = [{ type: "function_call_output", call_id: this.#waitingCall, output: `${key} found` }];
      const body = { model, conversation, input, stream };
      return { ...made, kind: "answer", path: "/v1/responses", body, isListed: true };
    }
    const die = chance.draw();
    if (die < 0.15) {
      const path = `/v1/conversations/${conversation}/items`;
      return { ...made, kind: "items", path, body: { items }, isListed: true };
    }
    const isListed = die < 0.75;
    const isCancelled = die > 0.7 && die < 0.8;
    const place = isListed ? { conversation } : this.#latest === null ? {} : { previous_response_id: this.#latest };
    const body = {
      model,
      ...place,
      input: `${key}\n${isCancelled ? "/stream 400 10" : this.#task()}`,
      stream: stream || isCancelled,
    };
    return { ...made, kind: "turn", path: "/v1/responses", body, isListed, isCancelled };
  }

  /** The model's task: reply at once, after a delay, in a slow stream, or with a call. */
  #task(): string {
    const chance = this.#chance;
    switch (chance.between(0, 5)) {
      case 0:
        return "/say done at once";
      case 1:
        return `/wait ${chance.between(5, 120)}\n/say done after a while`;
      case 2:
        return `/stream ${chance.between(5, 60)} ${chance.between(1, 6)}`;
      case 3:
        return '/say Let me see.\n/tool look_up {"word":"x"}';
      case 4:
        // Longer than the first hold covers.
        return `/stream ${chance.between(110, 150)} 0 40`;
      default:
        return `/tool look_up {"word":"y"}`;
    }
  }
}
