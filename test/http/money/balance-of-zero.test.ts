// A balance of zero beside running responses: what they hold ahead of their need is not spent yet.
// @spec errors/http-error-codes; docs/decisions/money.md (Ahead of need)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderPart } from "../../../src/ports/provider.ts";
import { assertApiError } from "../../support/assert-api-error.ts";
import { credits, PRICED_MODELS, Purse } from "../../support/money.ts";
import { type Act, FINISHED, gate } from "../../support/scripted-provider.ts";
import { serviceForFile } from "../../support/service.ts";
import { until } from "../../support/until.ts";

const service = await serviceForFile({ models: PRICED_MODELS });

/** Six hundred tokens, a tenth of a credit each, in parts of ten. */
function* tokens(): Generator<Act> {
  const part: ProviderPart = { type: "text", text: "four".repeat(10) };
  for (let sent = 0; sent < 600; sent += 10) {
    yield [part];
    yield new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * An organization whose balance is zero to the nano-credit: one response holds some of it ahead, another one has begun
 * on the rest.
 */
async function emptied() {
  const purse = await Purse.open(service, 250.1);
  const { opened, open } = gate();
  service.provider.plays([...tokens(), opened, FINISHED], [opened, FINISHED]);
  const turns = [purse.create({ input: "Hi" })];
  await until("it holds some ahead", async () => (await purse.balance()).held > credits(100.1));
  // A token of input, and as much output as the rest pays for.
  const rest = (await purse.balance()).credits;
  const output = Number(rest / credits(0.1)) - 1;
  turns.push(purse.create({ input: "Hi", max_output_tokens: output }));
  await until("the second has begun", () => service.gateway.runs.ofKey(purse.keyId).length === 2);
  assert.equal((await purse.balance()).credits, 0n);
  return {
    purse,
    end: async () => {
      open();
      for (const turn of turns) assert.equal((await turn).json.status, "completed");
    },
  };
}

test("a response that what is held ahead pays for begins, streaming or not", async () => {
  for (const stream of [false, true]) {
    const { purse, end } = await emptied();
    const body = { input: "Hi", max_output_tokens: 100 };
    const reply = stream ? await purse.stream(body) : await purse.create(body);
    assert.equal(reply.status, 200);
    await end();
  }
});

test("once nothing is held ahead, a reserved balance is insufficient_credits, and nothing is given back twice", async () => {
  const { purse, end } = await emptied();
  assertApiError(await purse.create({ input: "Hi" }), { status: 429, code: "insufficient_credits" });
  const { credits: rest } = await purse.balance();
  const { opened, open } = gate();
  service.provider.plays([opened, FINISHED]);
  const third = purse.create({ input: "Hi", max_output_tokens: Number(rest / credits(0.1)) - 1 });
  await until("the third has begun", () => service.gateway.runs.ofKey(purse.keyId).length === 3);
  const books = await purse.balance();
  assert.equal(books.credits, 0n);
  for (const stream of [false, true]) {
    const reply = await purse.create({ input: "Hi", stream });
    const message =
      /balance of 0\.0 credits .* reserves 100\.1 credits\. Running turns have reserved another 250\.1 credits\.$/;
    assertApiError(reply, { status: 429, code: "insufficient_credits", message });
    assert.equal(
      (await purse.create({ input: "Hi", model: "test/all", stream })).status,
      200,
      "a free model is served",
    );
  }
  assert.deepEqual(await purse.balance(), books);
  open();
  assert.equal((await third).status, 200);
  await end();
});
