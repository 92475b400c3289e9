// Priced models, organizations with little money, and assertions about charges.
import assert from "node:assert/strict";
import type { Prices } from "../../src/core/money/prices.ts";
import type { BudgetName } from "../../src/core/money/budgets.ts";
import { TESTS } from "./actor.ts";
import { assertApiError } from "./assert-api-error.ts";
import type { Reply, Loose } from "./http-client.ts";
import { TEST_MODELS, testModel } from "./service-config.ts";
import type { TestService } from "./service.ts";
import { dumpWithoutNotices, runSql } from "./tables.ts";

export const CREDIT = 1_000_000_000n;

/** A tenth of a credit per token; cached tokens a hundredth. */
export const PRICES: Prices = { input: 1000, cached_input: 100, cache_write: 1000, output: 1000 };

/** The tests' catalog with `test/priced` and `test/tiered`, at twice the price above ten tokens of input. */
export const PRICED_MODELS = [
  ...TEST_MODELS,
  testModel("test/priced", { prices: PRICES }),
  testModel("test/tiered", {
    prices: PRICES,
    tiers: [{ aboveInputTokens: 10, prices: { input: 2000, cached_input: 200, cache_write: 2000, output: 2000 } }],
  }),
];

/** Credits as tests write them, in nano-credits. */
export function credits(amount: number): bigint {
  return BigInt(Math.round(amount * 1000)) * 1_000_000n;
}

/** An organization of its own for a test, with a member and the member's key. */
export class Purse {
  readonly organizationId: string;
  readonly memberId: string;
  readonly keyId: string;
  readonly key: string;
  readonly #service: TestService;

  private constructor(service: TestService, organizationId: string, key: { keyId: string; secret: string }) {
    this.#service = service;
    this.organizationId = organizationId;
    this.memberId = `mem_${organizationId}`;
    this.keyId = key.keyId;
    this.key = key.secret;
  }

  static async open(service: TestService, amount: number, budgets: readonly [BudgetName, number][] = []) {
    const { organizationId } = await service.newOrganization({ credits: 0n });
    const { store, secrets } = service;
    const memberId = `mem_${organizationId}`;
    const member = { id: memberId, organizationId, email: "a@b.test", role: "member" } as const;
    await store.addMember({ by: TESTS, ...member, createdAt: 1 });
    const { secret, lookup, hash } = secrets.mintApiKey();
    const keyId = `key_of_${organizationId}`;
    const key = { id: keyId, organizationId, memberId, name: keyId, permission: "all", revokedAt: null } as const;
    await store.createKey({ by: TESTS, key: { ...key, createdAt: 1 }, secret: { lookup, hash } });
    const purse = new Purse(service, organizationId, { keyId, secret });
    if (amount > 0) await purse.topUp(amount);
    for (const [name, limit] of budgets) await purse.setBudget(name, limit);
    return purse;
  }

  #topUps = 0;

  topUp(amount: number): Promise<void> {
    return this.topUpNano(credits(amount));
  }

  async topUpNano(amountNano: bigint): Promise<void> {
    const { organizationId } = this;
    const transactionId = `txn_${organizationId}_${++this.#topUps}`;
    await this.#service.store.addCredits({ by: TESTS, transactionId, organizationId, amountNano, createdAt: 1 });
  }

  async setBudget(name: BudgetName, limit: number): Promise<void> {
    const { organizationId } = this;
    await this.#service.store.setBudget({ by: TESTS, organizationId, name, limitNano: credits(limit) });
  }

  create(body: object, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return this.#service.create({ model: "test/priced", ...body }, { key: this.key, headers });
  }

  stream(body: object) {
    return this.#service.stream({ model: "test/priced", ...body }, { key: this.key });
  }

  retrieve(id: string): Promise<Reply> {
    return this.#service.request("GET", `/v1/responses/${id}`, { key: this.key });
  }

  cancel(id: string): Promise<Reply> {
    return this.#service.request("POST", `/v1/responses/${id}/cancel`, { key: this.key });
  }

  /** Available, held and charged nano-credits. */
  async balance(): Promise<{ credits: bigint; held: bigint; charged: bigint }> {
    const sql = `select cast(credits_nano as text) as credits, cast(held_nano as text) as held, cast(charged_nano as text) as charged
                   from balances where organization_id = :id`;
    const [row] = (await runSql(this.#service, sql, { id: this.organizationId })) as Loose[];
    return { credits: BigInt(row.credits), held: BigInt(row.held), charged: BigInt(row.charged) };
  }

  /** The transfers of a response: kind and amount, in their order. */
  async transfersOf(id: string): Promise<readonly (readonly [string, bigint])[]> {
    const sql = `select kind, cast(amount_nano as text) as amount from ledger_transfers where response_id = :id order by id`;
    return ((await runSql(this.#service, sql, { id })) as Loose[]).map(({ kind, amount }) => [kind, BigInt(amount)]);
  }

  /** Asserts that both kinds of create get the error, call no provider, claim no Idempotency-Key and change nothing. */
  async assertNotBegun(code: string, message: RegExp, body: object = {}): Promise<void> {
    const { calls } = this.#service.provider;
    const before = await dumpWithoutNotices(this.#service);
    const callsBefore = calls.length;
    for (const stream of [false, true]) {
      const reply = await this.create({ input: "Hi", stream, ...body }, { "idempotency-key": "never claimed" });
      assertApiError(reply, { status: 429, code, message });
      assert.equal(reply.json.error.type, code === "insufficient_quota" ? code : "rate_limit_error");
      assert.equal(reply.headers["x-should-retry"], "false");
      assert.equal(reply.headers["retry-after"], undefined);
    }
    assert.deepEqual(await dumpWithoutNotices(this.#service), before);
    assert.equal(calls.length, callsBefore);
  }

  /** Asserts that every balance, budget and usage row agrees with the ledger, and the total charged. */
  async agrees(charged: bigint): Promise<void> {
    const { organizationId } = this;
    const { differences } = await this.#service.store.reconcile({ organizationId });
    assert.deepEqual(differences, []);
    const balance = await this.balance();
    assert.deepEqual([balance.charged, balance.held], [charged, 0n]);
    const query = { organizationId, by: [], fromDay: null, toDay: null, limit: 1 } as const;
    assert.equal((await this.#service.store.readUsage(query))[0]?.chargedNano ?? 0n, charged);
  }
}
