// The law of targets, on one node or several: whatever the targets of a model do, at most one of them answers a turn, no
// other is asked after it, the wait is kept, all see the same history, and there is one charge, at the price of the one
// that answered. docs/fallbacks.md
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import fc from "../support/fast-check.ts";
import { chargeOf, type Prices, snapshotPrices } from "../../src/core/money/prices.ts";
import type { CatalogModel } from "../../src/core/models/catalog.ts";
import type { ProviderRegistry } from "../../src/ports/provider.ts";
import type { Loose } from "../support/http-client.ts";
import { familyOf } from "../support/family-of.ts";
import { Purse } from "../support/money.ts";
import { openProviders } from "../support/provider-registry.ts";
import type { TestService } from "../support/service.ts";
import { modelOfTargets, targetOf } from "../support/targets.ts";
import { answerOf, type Asked, type Behaviour, openTargetServer, type TargetServer } from "./target-servers.ts";

const USD_PER_CREDIT = 0.01;
const NAMES = ["one", "two", "three"] as const;
const WAIT_MS = 90_000;

const pricesOf = (factor: number): Prices => ({
  input: factor * 1000,
  cached_input: factor * 1000,
  cache_write: factor * 1000,
  output: factor * 2000,
});
const PRICES: Readonly<Record<string, Prices>> = { one: pricesOf(1), two: pricesOf(3), three: pricesOf(2) };

const SAFE: readonly Behaviour[] = [
  "refuses",
  { status: 429 },
  { status: 503 },
  { status: 529 },
  "overloaded_in_stream",
];
const UNSAFE: readonly Behaviour[] = [{ status: 500 }, { status: 502 }, { status: 504 }];
const OTHERS: readonly Behaviour[] = [
  "resets",
  "silent",
  "resets_after_head",
  "resets_after_text",
  "silent_after_text",
  "overloaded_after_text",
  ...[400, 401, 403, 404, 408, 422].map((status) => ({ status })),
];
const WAITS: readonly Behaviour[] = [429, 503, 529].flatMap((status) =>
  [1, 2, 100].map((retryAfter) => ({ status, retryAfter })),
);

const behaviour: fc.Arbitrary<Behaviour> = fc.oneof(
  fc.constantFrom<Behaviour>("answers", "slow"),
  { weight: 3, arbitrary: fc.constantFrom(...SAFE) },
  fc.constantFrom(...UNSAFE),
  fc.constantFrom(...OTHERS),
  fc.constantFrom(...WAITS),
);

/** One turn: what each server does when it is asked, and how the client asks. */
const turn = fc.record({
  plays: fc.tuple(...NAMES.map(() => fc.array(behaviour, { minLength: 1, maxLength: 4 }))),
  isStream: fc.boolean(),
  /** Which node it is sent to. */
  node: fc.nat(),
  also: fc.boolean(),
});

/** Whether a turn may move on after a request that was treated like this; a refused one is seen by no server. */
function mayFollow(done: Behaviour, also: boolean): boolean {
  if (typeof done === "string") return done === "overloaded_in_stream";
  return [429, 503, 529].includes(done.status) || (also && [500, 502, 504].includes(done.status));
}

function isWhole(done: Behaviour): boolean {
  return done === "answers" || done === "slow";
}

function hasOutput(done: Behaviour): boolean {
  return isWhole(done) || (typeof done === "string" && done.endsWith("_after_text"));
}

/** Three servers, and what a service needs to have them as targets. */
export interface OpenTargets {
  readonly providers: ProviderRegistry;
  readonly models: readonly CatalogModel[];
  readonly servers: readonly TargetServer[];
  /** What they were asked, in order. */
  readonly asked: Asked[];
  /** Whose clock tells when. */
  readClock(service: TestService): void;
  close(): Promise<void>;
}

export async function openTargets(): Promise<OpenTargets> {
  const asked: Asked[] = [];
  let nowMs = () => 0;
  const servers = await Promise.all(NAMES.map((name) => openTargetServer(name, () => nowMs(), asked)));
  const providers = await openProviders(
    servers.map(({ name, url }) => ({
      name,
      family: familyOf("openai-compatible"),
      baseUrl: url,
      apiKey: null,
      timeoutSeconds: 0.1,
    })),
  );
  const targets = NAMES.map((name, at) =>
    targetOf(name, { order: Math.ceil((at + 1) / 2), prices: PRICES[name] ?? pricesOf(0) }),
  );
  return {
    providers,
    servers,
    asked,
    models: [
      modelOfTargets(targets, { id: "test/safe" }),
      modelOfTargets(targets, { id: "test/also", retry: ["connection", 429, 503, 529, 500, 502, 504] }),
    ],
    readClock({ clock }) {
      nowMs = () => clock.monotonicMs();
    },
    async close() {
      await providers.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Checks the law by so many runs of a few turns each, every turn on a node that is drawn. */
export async function checkTargets(
  nodes: readonly [TestService, ...TestService[]],
  { servers, asked, readClock }: OpenTargets,
  numRuns: number,
): Promise<void> {
  const [first] = nodes;
  const reached = new Map<string, number>();
  const count = (what: string) => void reached.set(what, (reached.get(what) ?? 0) + 1);

  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 3 }), async (turns) => {
      const purse = await Purse.open(first, 1_000_000);
      const conversation = await first.request("POST", "/v1/conversations", { body: {}, key: purse.key });
      const said: { role: string; content: string }[] = [];
      let charged = 0n;
      for (const [at, { plays, isStream, also, node: drawn }] of turns.entries()) {
        for (const [index, server] of servers.entries()) await server.plays(plays[index] ?? []);
        asked.length = 0;
        const node = nodes[drawn % nodes.length] ?? first;
        readClock(node);
        const startedMs = node.clock.monotonicMs();
        const input = `question ${at}`;
        const body = {
          model: also ? "test/also" : "test/safe",
          conversation: conversation.json.id,
          input,
          stream: isStream,
        };
        const { key } = purse;
        const response = await settled(purse, isStream ? node.stream(body, { key }) : node.create(body, { key }));
        const expected = [...said, { role: "user", content: input }];

        // One answers, and none is asked after it, nor after a failure that the rule does not name.
        for (const [place, { behaviour: done, messages, atMs }] of asked.entries()) {
          const isLast = place === asked.length - 1;
          assert.ok(isLast || mayFollow(done, also), `another target was asked after ${JSON.stringify(done)}`);
          assert.ok(atMs - startedMs < WAIT_MS, "the wait is kept");
          assert.deepEqual(messages, expected);
        }
        const last = asked.at(-1);
        const charge = await chargeFor(purse, response);
        if (response === null) {
          // A waiting client gets a provider's failure as an error, also after a part of an answer.
          count("an HTTP error");
          assert.ok(last === undefined || !isWhole(last.behaviour));
        } else {
          count(response.status);
          const attempts: { target: string }[] = response["svc:attempts"] ?? [];
          if (attempts.length > 0) count(`${response.status} after others`);
          // The servers saw the calls that the response lists, but those of a server that refused them.
          const calls = [...attempts.map(({ target }) => target), response["svc:target"]];
          const refusing = servers.filter((_, index) => plays[index]?.[0] === "refuses").map(({ name }) => `${name}/m`);
          assert.deepEqual(
            calls.filter((call) => !refusing.includes(call)),
            asked.map(({ server }) => `${server}/m`),
          );
          const isCompleted = last !== undefined && isWhole(last.behaviour);
          assert.equal(response.status, isCompleted ? "completed" : "failed");
          if (isCompleted) {
            assert.equal(response["svc:target"], `${last.server}/m`);
            assert.equal(response.output[0].content[0].text, answerOf(last.server));
            said.push({ role: "user", content: input }, { role: "assistant", content: answerOf(last.server) });
          }
          if (last === undefined || !hasOutput(last.behaviour)) assert.equal(charge, 0n);
        }
        charged += charge;
        await purse.agrees(charged);
      }
    }),
    { numRuns },
  );
  for (const what of ["completed", "completed after others", "failed", "an HTTP error"]) {
    assert.ok((reached.get(what) ?? 0) > 0, `the property reaches "${what}"`);
  }

  /** The response at its end; null: it was withdrawn. Time passes meanwhile. */
  async function settled(purse: Purse, replying: Promise<Loose>): Promise<Loose> {
    const waiting = { isOver: false };
    const ended = replying.finally(() => {
      waiting.isOver = true;
    });
    while (!waiting.isOver) await passTime();
    const { json, events } = await ended;
    const { id, object } = events === undefined ? json : events.at(-1).data.response;
    if (object !== "response") return null;
    for (;;) {
      // Any node reads it.
      const reader = nodes[asked.length % nodes.length] ?? first;
      const { json: now } = await reader.request("GET", `/v1/responses/${id}`, { key: purse.key });
      if (now.status !== "in_progress" && now.status !== "queued") return now;
      await passTime();
    }
  }

  /** Ten times as fast as the machine's, which a busy one does not notice: the wait is nine seconds of that. */
  async function passTime(): Promise<void> {
    await wait(5);
    await Promise.all(nodes.map(({ clock }) => clock.advance(50)));
  }

  /** What a response was charged: at most one settlement, for its usage at the price of the target that answered. */
  async function chargeFor(purse: Purse, response: Loose): Promise<bigint> {
    if (response === null) return 0n;
    const settlements = (await purse.transfersOf(response.id)).filter(([kind]) => kind === "settle");
    assert.ok(settlements.length <= 1, "one charge");
    const [name = ""] = String(response["svc:target"]).split("/");
    const snapshot = snapshotPrices({ prices: PRICES[name] ?? pricesOf(0) }, USD_PER_CREDIT);
    const charge = settlements[0]?.[1] ?? 0n;
    assert.equal(charge, snapshot === null ? 0n : chargeOf(snapshot, response.usage));
    return charge;
  }
}
