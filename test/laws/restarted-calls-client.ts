// A client of models that number their calls anew in each response, with what it knows of its calls: each has a mark of
// its own, and each output a text of its own.
import assert from "node:assert/strict";
import type { Loose, Reply } from "../support/http-client.ts";
import { gate } from "../support/scripted-provider.ts";
import type { TestService } from "../support/service.ts";
import { until } from "../support/until.ts";
import {
  type Call,
  isAlive,
  isGone,
  isSettled,
  knownCalls,
  type Output,
  type Round,
  type Thread,
} from "./restarted-calls-model.ts";
import { actsOf, exchangesOf, type Play } from "./restarted-calls-wire.ts";

export interface NewRound {
  readonly thread: Thread;
  /** By the conversation if null. */
  readonly previous: Round | null;
  readonly body: object;
  readonly play: Play;
  readonly outputs: readonly Output[];
  /** The rounds whose calls they answer, and the calls that it drops. */
  readonly answers?: readonly Round[];
  readonly drops?: readonly Call[];
  readonly isInLog: boolean;
  /** Whether the service must accept it. */
  readonly mustPass: boolean;
}

const TOOLS = [{ type: "function", name: "look_up" }];

export class Client {
  readonly threads: Thread[] = [];
  readonly rounds: Round[] = [];
  readonly trace: string[] = [];
  /** Outputs that were accepted. */
  answers = 0;
  readonly #held: { readonly thread: Thread; readonly settle: () => Promise<void> }[] = [];
  readonly #gates: (() => void)[] = [];
  readonly #service: TestService;
  #made = 0;

  constructor(service: TestService) {
    this.#service = service;
  }

  next(prefix: string): string {
    return `${prefix}${++this.#made}`;
  }

  async send(method: string, path: string, body?: object): Promise<Reply> {
    this.trace.push(`${method} ${path} ${JSON.stringify(body) ?? ""}`);
    const reply = await this.#service.request(method, path, body === undefined ? {} : { body });
    this.#sees(reply);
    return reply;
  }

  /** A client's fault is 400, whatever it sends. */
  #sees({ status, text, json }: Reply): void {
    this.trace.push(`  ${status} ${json?.id ?? text.slice(0, 300)}`);
    assert.ok(status === 200 || (status === 400 && json.error.code === "invalid_input"), text);
  }

  makeCall(callId: string, thread: Thread, round: Round | null): Call {
    const call = { mark: this.next("m"), callId, thread, round, itemId: null, isDeleted: false, droppedBy: null };
    thread.calls.push(call);
    return call;
  }

  makeOutput(callId: string, of: readonly Call[], { isInLog, meant }: Pick<Output, "isInLog" | "meant">): Output {
    return {
      text: this.next("o"),
      callId,
      of,
      meant,
      call: null,
      round: null,
      itemId: null,
      isDeleted: false,
      isInLog,
    };
  }

  /** Creates a response. Null: it was rejected, or runs until it is let go. */
  async create(made: NewRound): Promise<Round | null> {
    const { thread, previous, body, play, outputs } = made;
    const { provider } = this.#service;
    const required = this.#required(thread, previous);
    const round: Round = {
      id: "",
      thread,
      previous: previous ?? thread.latest,
      isInLog: made.isInLog,
      calls: [],
      known: knownCalls(thread, previous),
      shown: [],
      isSettled: false,
      isIncomplete: play.isIncomplete,
      isDeleted: false,
      isAnswered: false,
    };
    const { opened, open } = gate();
    this.#gates.push(open);
    const calls = play.callIds.map((callId) => ({ callId, mark: this.next("m") }));
    provider.plays([...(play.isHeld ? [opened] : []), ...actsOf(calls, play)]);
    const asked = provider.calls.length;
    const named = {
      ...(previous === null ? {} : { previous_response_id: previous.id }),
      ...(previous === null && thread.id !== null ? { conversation: thread.id } : {}),
    };
    const request = { ...named, tools: TOOLS, ...body };
    this.trace.push(`create${play.isHeld ? " (held)" : ""} ${JSON.stringify(request)} plays ${JSON.stringify(calls)}`);
    let isDone = false;
    const pending = this.#service.create(request).finally(() => {
      isDone = true;
    });
    // The one that waits for it reports its fault.
    pending.catch(() => {});
    await until("the call", () => isDone || provider.calls.length > asked);
    if (provider.calls.length === asked) {
      const reply = await pending;
      this.#sees(reply);
      assert.equal(reply.status, 400, reply.text);
      assert.ok(!made.mustPass, reply.text);
      provider.forgets();
      return null;
    }
    for (const output of outputs) output.round = round;
    for (const each of made.answers ?? []) each.isAnswered = true;
    for (const call of made.drops ?? []) call.droppedBy = round;
    thread.outputs.push(...outputs);
    this.answers += outputs.length;
    const shown = this.#check(thread, outputs, required);
    Object.assign(round, { shown });
    // The client is told of those that are ignored.
    const ignored = outputs.filter((output) => !shown.includes(output));
    for (const output of ignored) output.isInLog = false;
    const settle = async () => {
      open();
      const reply = await pending;
      this.#sees(reply);
      const { json, text } = reply;
      assert.equal(json.status, play.isIncomplete ? "incomplete" : "completed", text);
      const warnings = json["svc:warnings"] ?? [];
      assert.ok(ignored.length === 0 || warnings.some(({ code }: Loose) => code === "input_items_ignored"), text);
      round.id = json.id;
      round.isSettled = true;
      const items = json.output.filter(({ type }: Loose) => type === "function_call");
      assert.deepEqual(
        items.map((item: Loose) => JSON.parse(item.arguments).mark),
        calls.map(({ mark }) => mark),
      );
      for (const { call_id: callId, arguments: sent } of items) {
        const { mark } = JSON.parse(sent);
        round.calls.push({ mark, callId, thread, round, itemId: null, isDeleted: false, droppedBy: null });
      }
      thread.calls.push(...round.calls);
      thread.latest = round.isInLog ? round : null;
      this.rounds.push(round);
    };
    if (!play.isHeld) {
      await settle();
      return round;
    }
    this.#held.push({ thread, settle });
    return null;
  }

  async letGo(at: number): Promise<void> {
    const [held] = this.#held.splice(at % Math.max(1, this.#held.length), 1);
    await held?.settle();
  }

  isRunning(thread: Thread): boolean {
    return this.#held.some((held) => held.thread === thread);
  }

  /** Lets all go that run, also those of a program that has failed: nothing is left to the next one. */
  async clear(): Promise<void> {
    for (const open of this.#gates) open();
    await Promise.allSettled(this.#held.map(({ settle }) => settle()));
    this.#service.provider.forgets();
  }

  async letAllGo(): Promise<void> {
    while (this.#held.length > 0) await this.letGo(0);
  }

  /** The outputs that the next prompt must have: the client was told that they were accepted. */
  #required(thread: Thread, previous: Round | null): Output[] {
    const outputs =
      previous !== null ? previous.shown : thread.outputs.filter((output) => output.isInLog && isSettled(output));
    return outputs.filter((output) => isAlive(output));
  }

  /** Checks the prompt that the provider was sent last; returns the outputs that it has. */
  #check(thread: Thread, sent: readonly Output[], required: readonly Output[]): Output[] {
    const { prompt } = this.#service.provider.calls.at(-1) ?? assert.fail("no call");
    const exchanges = exchangesOf(prompt);
    this.trace.push(`  sent ${exchanges.map(({ call, result }) => `${call}: ${result}`).join(", ")}`);
    const shown = exchanges.map(({ call: mark, result }) => {
      const output = thread.outputs.find(({ text }) => text === result);
      const call = thread.calls.find((each) => each.mark === mark);
      assert.ok(output !== undefined && call !== undefined, `${mark}: ${result} is of another thread`);
      assert.ok(!isGone(output), `${result} was deleted`);
      assert.ok(!isGone(call), `${mark} was deleted`);
      const may = (output.call === null ? output.of : [output.call]).map((each) => each.mark);
      assert.ok(may.includes(mark), `${result} answers ${may.join(" or ")}, not ${mark}`);
      output.call = call;
      if (call.round !== null) call.round.isAnswered = true;
      return output;
    });
    assert.equal(new Set(shown).size, shown.length, "an output twice");
    for (const output of required) assert.ok(shown.includes(output), `${output.text} is missing`);
    this.#checkIgnored(sent, shown);
    return shown;
  }

  /** Checks that those outputs are ignored that can mean no call without an output. */
  #checkIgnored(sent: readonly Output[], shown: readonly Output[]): void {
    const answered = new Set(shown.map(({ call }) => call));
    const ignored = sent.filter((output) => !shown.includes(output));
    for (const { text, callId, meant } of ignored) {
      if (meant !== null) {
        for (const call of meant) assert.ok(answered.has(call), `${text} is ignored, ${call.mark} has no output`);
        continue;
      }
      // Of a resent history the last output with the id counts, if its call waits.
      const last = sent.findLast((output) => output.meant === null && output.callId === callId);
      assert.ok(last?.call != null && last.call.round !== null, `${text} is missing`);
    }
  }
}
