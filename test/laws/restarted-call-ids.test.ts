// Calls and results: whatever has the same call_id, every result that a provider is sent stands under the call that it
// answers, once, and no id is sent twice. @spec endpoints/post-responses (Tool loop); docs/wire.md (Waiting calls)
import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "../support/fast-check.ts";
import { TestService } from "../support/service.ts";
import { SEED } from "./provider-scripts.ts";
import { Client } from "./restarted-calls-client.ts";
import {
  type Call,
  callOf,
  isGone,
  knownCalls,
  type Output,
  type Round,
  type Thread,
} from "./restarted-calls-model.ts";
import type { Play } from "./restarted-calls-wire.ts";

/** Use thousands after a change to calls. */
const RUNS = Number(process.env["LAW_RUNS"] ?? 40);

const service = await TestService.start();
after(() => service.close());

const nat = fc.nat({ max: 30 });
const play = fc.record({
  calls: fc.integer({ min: 0, max: 3 }),
  /** Where the numbers of its calls begin: mostly at zero. */
  from: fc.constantFrom(0, 0, 0, 1, 3),
  isIncomplete: fc.constantFrom(false, false, false, true),
  hasState: fc.boolean(),
  isHeld: fc.constantFrom(false, false, false, true),
});
const way = fc.constantFrom("response", "response", "conversation", "previous");
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      at: nat,
      by: way,
      play,
      drops: fc.boolean(),
      resent: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("answer" as const), at: nat, by: way, play, late: fc.option(nat) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("answer two" as const), at: nat, other: nat, by: way, play }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      at: nat,
      what: fc.constantFrom("message", "exchange", "call", "output", "answer"),
      from: nat,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete response" as const), at: nat }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete item" as const), at: nat }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("let go" as const), at: nat }) },
);
type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Action = Drawn<typeof action>;

/** The element that many places before the last one, as far as there are so many; undefined: there is none. */
function back<Element>(elements: readonly Element[], at: number): Element | undefined {
  return elements.at(-1 - (at % Math.max(1, Math.min(elements.length, 6))));
}

const output = ({ callId, text }: Output) => {
  return { type: "function_call_output", call_id: callId, output: text };
};
const functionCall = ({ callId, mark }: Call) => {
  return { type: "function_call", call_id: callId, name: "look_up", arguments: JSON.stringify({ mark }) };
};

function playOf(drawn: Drawn<typeof play>): Play {
  return { ...drawn, callIds: Array.from({ length: drawn.calls }, (_, at) => `call_${drawn.from + at}`) };
}

class Program {
  readonly client = new Client(service);

  async act(drawn: Action): Promise<void> {
    const { client } = this;
    const rounds = client.rounds.filter(({ isDeleted }) => !isDeleted);
    switch (drawn.do) {
      case "ask":
        return this.#ask(drawn, rounds);
      case "answer":
        return this.#answer(drawn, [back(rounds.filter(hasCalls), drawn.at)], drawn.late);
      case "answer two": {
        const one = back(
          rounds.filter((round) => hasCalls(round) && round.thread.id !== null),
          drawn.at,
        );
        const beside = rounds.filter((round) => hasCalls(round) && round !== one && round.thread === one?.thread);
        return this.#answer(drawn, [one, back(beside, drawn.other)]);
      }
      case "add":
        return this.#add(drawn, rounds);
      case "delete response": {
        const round = back(rounds, drawn.at);
        if (round === undefined) return;
        assert.equal((await client.send("DELETE", `/v1/responses/${round.id}`)).status, 200);
        round.isDeleted = true;
        if (round.thread.latest === round) round.thread.latest = null;
        return;
      }
      case "delete item": {
        const added = client.threads.flatMap(({ id, calls, outputs }) =>
          [...calls, ...outputs]
            .filter((each) => each.itemId !== null && !each.isDeleted)
            .map((item) => ({ id, item })),
        );
        const found = back(added, drawn.at);
        if (found === undefined) return;
        const path = `/v1/conversations/${found.id}/items/${found.item.itemId}`;
        assert.equal((await client.send("DELETE", path)).status, 200);
        found.item.isDeleted = true;
        return;
      }
      default:
        return client.letGo(drawn.at);
    }
  }

  async #ask({ at, by, play: drawn, drops, resent }: Extract<Action, { do: "ask" }>, rounds: readonly Round[]) {
    const { client } = this;
    const thread = client.threads[at % client.threads.length] as Thread;
    const own = rounds.filter((round) => round.thread === thread);
    const previous = by === "conversation" && thread.id !== null ? null : (back(own, at >> 1) ?? null);
    const isInLog = isLogged(thread, previous, drawn.isHeld);
    const calls = Array.from({ length: resent }, () => client.makeCall("call_0", thread, null));
    // A resent exchange with the id of a call that waits is that call with its output.
    const waiting = thread.calls.filter((call) => call.callId === "call_0" && call.round !== null);
    const outputs = calls.map((call) => client.makeOutput("call_0", [call, ...waiting], { isInLog, meant: null }));
    const exchanges = outputs.flatMap((each) =>
      each.of.slice(0, 1).flatMap((call) => [functionCall(call), output(each)]),
    );
    const isDropping = previous === null && drops && resent === 0;
    await client.create({
      thread,
      previous,
      body: {
        input: [...exchanges, { role: "user", content: client.next("u") }],
        ...(drops && resent === 0 ? { "svc:unanswered_calls": "drop" } : {}),
      },
      play: playOf(drawn),
      outputs,
      drops: isDropping ? thread.calls.filter((call) => call.round?.isInLog === true && isOpen(call)) : [],
      isInLog,
      mustPass: false,
    });
  }

  /** Answers all calls of one or two rounds, and once more an earlier call. */
  async #answer(
    { by, play: drawn }: Extract<Action, { do: "answer" | "answer two" }>,
    asked: readonly (Round | undefined)[],
    late: number | null = null,
  ) {
    const { client } = this;
    const answers = asked.filter((round) => round !== undefined);
    const [first] = answers;
    if (first === undefined || answers.length < asked.length) return;
    const { thread } = first;
    const previous = by === "conversation" && thread.id !== null ? null : by === "previous" ? first.previous : first;
    if ((previous === null && thread.id === null) || previous?.isDeleted === true) return;
    const isFresh = answers.every((round) => isWaiting(round));
    const of = answers.flatMap((round) => round.calls);
    const others = thread.calls.filter(({ callId }) => !of.some((call) => call.callId === callId));
    const further = late === null ? undefined : back(others, late);
    const made = further === undefined ? of : [...of, further];
    const isSure = isFresh && by === "response" && answers.length === 1 && further === undefined;
    const isInLog = previous === null || (isSure && first.isInLog);
    const known = knownCalls(thread, previous).filter((call) => !isGone(call));
    const outputs = made.map((call) => {
      const exact = previous?.calls.filter(({ callId }) => callId === call.callId) ?? [];
      const open = thread.calls.filter(
        (each) => each.callId === call.callId && each.round !== null && (previous !== null || isOpen(each)),
      );
      const isExact = exact.length > 0;
      const meant = isExact ? exact : known.filter(({ callId }) => callId === call.callId);
      return client.makeOutput(call.callId, isExact ? exact : open, { isInLog, meant });
    });
    await client.create({
      thread,
      previous,
      body: { input: outputs.map(output) },
      play: playOf(drawn),
      outputs,
      answers,
      isInLog,
      mustPass: isSure && thread.latest === first && !client.isRunning(thread),
    });
  }

  async #add({ at, what, from }: Extract<Action, { do: "add" }>, rounds: readonly Round[]) {
    const { client } = this;
    const threads = client.threads.filter(({ id }) => id !== null);
    const thread = threads[at % threads.length] as Thread;
    const items: object[] = [];
    const sent: (Call | Output | null)[] = [];
    if (what === "exchange" || what === "call") {
      const call = client.makeCall(`call_${from % 3}`, thread, null);
      items.push(functionCall(call));
      sent.push(call);
      if (what === "exchange") {
        const result = client.makeOutput(call.callId, [call], { isInLog: true, meant: [call] });
        items.push(output(result));
        sent.push(result);
      }
    } else if (what === "message") {
      items.push({ role: "user", content: client.next("u") });
    } else {
      const of =
        what === "answer"
          ? rounds.filter((round) => round.thread === thread).flatMap((round) => round.calls)
          : thread.calls;
      const call = back(of, from);
      if (call === undefined) return;
      const open = thread.calls.filter((each) => each.callId === call.callId && isOpen(each));
      const result = client.makeOutput(call.callId, open, { isInLog: true, meant: open });
      items.push(output(result));
      sent.push(result);
    }
    const reply = await client.send("POST", `/v1/conversations/${thread.id}/items`, { items });
    const isAdded = reply.status === 200;
    for (const [place, each] of sent.entries()) {
      if (each === null) continue;
      if (isAdded) each.itemId = reply.json.data[place].id;
      if ("mark" in each) each.isDeleted = !isAdded;
      else if (isAdded) {
        assert.ok(each.of.length > 0, `${each.text} answers nothing`);
        thread.outputs.push(each);
        client.answers++;
      }
    }
  }
}

function hasCalls({ calls }: Round): boolean {
  return calls.length > 0;
}

/** Whether nothing in the conversation answers a call, as far as the client knows, and no response has dropped it. */
function isOpen(call: Call): boolean {
  const isDropped = call.droppedBy !== null && !call.droppedBy.isDeleted;
  if (isGone(call) || isDropped) return false;
  return !call.thread.outputs.some((each) => each.isInLog && !isGone(each) && callOf(each) === call);
}

/** Whether all calls of a response wait, for certain. */
function isWaiting({ calls, thread, isIncomplete, isAnswered }: Round): boolean {
  const isTouched = thread.outputs.some(({ of }) => of.some((call) => calls.includes(call)));
  return !isIncomplete && !isAnswered && !isTouched && calls.every((call) => call.droppedBy === null);
}

/** Whether a user turn is added to the conversation itself, for certain. */
function isLogged({ id, latest }: Thread, previous: Round | null, isHeld: boolean): boolean {
  return id !== null && (previous === null || (previous === latest && !isHeld));
}

let answered = 0;

async function run(actions: readonly Action[]): Promise<void> {
  const program = new Program();
  const { client } = program;
  try {
    const { json } = await client.send("POST", "/v1/conversations", {});
    for (const id of [json.id, null]) client.threads.push({ id, calls: [], outputs: [], latest: null });
    for (const drawn of actions) await program.act(drawn);
    await client.letAllGo();
    const nothing: Drawn<typeof play> = { calls: 0, from: 0, isIncomplete: false, hasState: false, isHeld: false };
    for (const at of [0, 1])
      await program.act({ do: "ask", at, by: "conversation", play: nothing, drops: true, resent: 0 });
  } catch (error) {
    throw new Error(`\n${client.trace.join("\n")}\n${String(error)}`, { cause: error });
  } finally {
    await client.clear();
    answered += client.answers;
  }
}

test("any program of requests with call_ids that restart: each result that a provider is sent is that of its call", async () => {
  const programs = fc.array(action, { minLength: 4, maxLength: 24 });
  await fc.assert(fc.asyncProperty(programs, run), { numRuns: RUNS, seed: SEED });
  assert.ok(answered > 2 * RUNS, `only ${answered} outputs were accepted`);
});
