import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { ApiError, invalidInput } from "../contract/errors.ts";
import type { Claim } from "../ports/store/claims.ts";
import { CreateResponseBody } from "../contract/requests.ts";
import type { RequestContext } from "./request-context.ts";
import { PlanAttempts, parseClaimedBody } from "./claims.ts";

const CLAIM: Claim = { endpoint: "addItems", key: "k", fingerprint: "f" };

interface Given {
  readonly claim?: Claim | null;
  /** The look that finds an earlier request, from 1. */
  readonly foundAt?: number;
  /** Plans that fail, one after the other. */
  readonly failures?: number;
  /** The attempt whose plan is stored, from 1; earlier ones find that something has changed. */
  readonly storedAt?: number;
}

/** A request, and the steps that it takes. */
async function play({ claim = null, foundAt = Infinity, failures = 0, storedAt = 1 }: Given) {
  const steps: string[] = [];
  const count = (step: string) => steps.filter((each) => each === step).length;
  const plan = async () => {
    steps.push("plan");
    if (count("plan") <= failures) throw invalidInput("input", `failure ${count("plan")}`);
    return "planned";
  };
  const run = async () => {
    const attempts = new PlanAttempts(claim);
    for (;;) {
      attempts.begin();
      steps.push("find");
      if (count("find") >= foundAt) return "replayed";
      attempts.assertMayPlan();
      if ((await attempts.plan(plan())) === null) continue;
      steps.push("store");
      if (count("store") >= storedAt) return "stored";
    }
  };
  const outcome = await run().catch((error: unknown) => error);
  return { steps, outcome };
}

test("an earlier request with the same key is replayed, and nothing is planned", async () => {
  assert.deepEqual(await play({ claim: CLAIM, foundAt: 1 }), { steps: ["find"], outcome: "replayed" });
});

test("what is planned is stored; after a change it is planned again, up to ten times: then 503", async () => {
  const once = ["find", "plan", "store"];
  assert.deepEqual(await play({}), { steps: once, outcome: "stored" });
  assert.deepEqual(await play({ storedAt: 3 }), { steps: [...once, ...once, ...once], outcome: "stored" });
  assert.equal((await play({ storedAt: 10 })).outcome, "stored");
  const { steps, outcome } = await play({ storedAt: 11 });
  assert.ok(outcome instanceof ApiError);
  assert.deepEqual([outcome.code, outcome.status, steps.length], ["gateway_overloaded", 503, 30]);
});

test("a request that another one with its key has overtaken is its retry, although its own plan failed", async () => {
  const replayed = { steps: ["find", "plan", "find"], outcome: "replayed" };
  assert.deepEqual(await play({ claim: CLAIM, failures: 1, foundAt: 2 }), replayed);
  const again = await play({ claim: CLAIM, failures: 2, foundAt: 3 });
  assert.deepEqual(again, { steps: ["find", "plan", "find", "plan", "find"], outcome: "replayed" });
});

test("beside a key a plan that fails is made once more: the other request may have been withdrawn", async () => {
  const stored = { steps: ["find", "plan", "find", "plan", "store"], outcome: "stored" };
  assert.deepEqual(await play({ claim: CLAIM, failures: 1 }), stored);
  const { outcome } = await play({ claim: CLAIM, failures: 2 });
  assert.ok(outcome instanceof ApiError);
  assert.equal(outcome.message, "failure 2");
});

test("without a key a plan that fails is not made again", async () => {
  const { steps, outcome } = await play({ failures: 1 });
  assert.ok(outcome instanceof ApiError);
  assert.deepEqual(steps, ["find", "plan"]);
});

/** Fingerprints as they were made until 2026-11-27. A claim in the store has one of them. */
const STORED_FINGERPRINTS: readonly (readonly [body: string, fingerprint: string])[] = [
  ['{"model":"m","input":"hi"}', "f6b0e39c93ca46aeb3fc77c2d5586dc544bfe31aa778c8a403aace37afe8f39b"],
  [' {"input":"hi",\n"model":"m"} ', "f6b0e39c93ca46aeb3fc77c2d5586dc544bfe31aa778c8a403aace37afe8f39b"],
  ['{"model":"m","input":"a","input":"hi"}', "f6b0e39c93ca46aeb3fc77c2d5586dc544bfe31aa778c8a403aace37afe8f39b"],
  ['\ufeff{"model":"m","input":"hi"}', "f6b0e39c93ca46aeb3fc77c2d5586dc544bfe31aa778c8a403aace37afe8f39b"],
  ['{"input":"caf\\u00e9","n":1.5}', "f5b2e0fe95e5897986ad63534db221b5097f2b536e1291da771ba94775e6a68a"],
  ['{"n":1.0}', "84968b272218ae60fb02cb45452a8fc20710f3ed8a215594979827aeb29f4067"],
  ['{"n":1}', "50e3f7687ceaf8fe6459879af7f1a5d794fa46afaad27230ec7e0736060dcde5"],
  ['{"n":1e2}', "251c29523954f32a8b05f7c9dc46f77ac76fe95c892140509df96aa2afa07fa3"],
  ['{"n":-0}', "81628e089cce8d71bac9f290892e0cc7ebbae3e2bdc69cdf8d39c0e462a84af0"],
  ['{"n":12345678901234567890}', "99a9f58fad32289b25f6d2ef8cb8a3c6e34650685370a1b0bab5281b1dd14447"],
  ['{"n":0.30000000000000004}', "1bf1a57aef992cd9dfe253184c2da8fb6ccaf15cb4f1587dbb07949d26ec47f2"],
  ['{"n":1234567890123456}', "bf290aa3e35d39d5500838f3dc8a66cfd5bacb465232728475726b7481b29c53"],
  ['{"n":1e+21}', "bc995c817a66cb80d8c831d1e8ebfdfad1ff06afa08cee37e27b53439d6c3db9"],
  ['{"n":10.0000001}', "3476e8ac8b20038e242a5817cb020fd4a587929b423a286cb42e081d5c39c405"],
  ['{"n":1.0,"m":2}', "d56c8ada857856b98b5cddb548dd141ad6759ac627a1f58dc60aeb202c6e73c9"],
  ['{"m":2,"n":1.0}', "8f53b713f1124b946bf70300de74ec0dc9459c815e2c261bb0d935a1512a7477"],
  [
    '{"previous_response_id":"resp_01a2e3","input":"1.0"}',
    "06844d6366912f587ccb724b0425aee6fad16bd106b9a57b521c31c487a33928",
  ],
  [
    '{"previous_response_id":"resp_01a2e3","input":"caf\\u00e9"}',
    "a8ff28d48af11be72638a0ff7168244e5b4f0b112e08b2b7d8fcef22d0e2f69a",
  ],
  [
    '{"previous_response_id":"resp_01a2e3","tools":[{"parameters":{}}]}',
    "f663c82572d66c1824e2026feb15da52fffd2e59cf30085f1cc31e68fdb7a8ac",
  ],
  ['{"tools":[{"parameters":{"a":1}}]}', "d4ae2cd5a33a53370ec7c7182f47e9e562584b84b786111205c917eb422cfe0a"],
  ['{"z":"\\ud800"}', "285b7919dbb52f03aa73085cc395690bff87d66348de632bdeac062085193891"],
  ['{"z":"\\ud800","z":1}', "c6d04ddf26d97a88a28963897d8ebbd78da45ffa3b9606f9b063695d77d7a2c7"],
  ['{"z":"\\\\ud800"}', "6d260d0ad918a38b1bb12ccef10258d2813c31b607bac9b0b07f15d277096a92"],
  [`{"z":${"[".repeat(63)}${"]".repeat(63)}}`, "94b92e79c3f0750f8044d35000c26cbb3b9558c1a7b004e810a89a0c6d09ebbc"],
  [`{"z":${"[".repeat(64)}${"]".repeat(64)}}`, "c2143c967be6e3f9f0acc600e7466ef0e5818edea638ef6707da08c961fa2eb2"],
  [`{"input":"${"x".repeat(65_524)}"}`, "7c05b8889bd1ed9bf490a0ef4887c046e4e4188b5993bb49583ed26e71a57a98"],
  [`{"input":"${"x".repeat(65_525)}"}`, "bca81e8733c9494ee4a3d7dd0ecad10e99817f001bab5084ce686fa7db22fa88"],
];
for (const [body, fingerprint] of STORED_FINGERPRINTS) {
  test(`a retry of ${body.slice(0, 60)} across an upgrade has the fingerprint of its claim`, async () => {
    const secrets = { fingerprint: (content: string | Uint8Array) => hash("sha256", content, "hex") };
    const context = { operation: "createResponse", idempotencyKeys: ["k"], params: {} } as unknown as RequestContext;
    const { claim } = await parseClaimedBody(
      { secrets } as unknown as Parameters<typeof parseClaimedBody>[0],
      context,
      Buffer.from(body),
      CreateResponseBody,
    );
    assert.equal(claim?.fingerprint, fingerprint);
  });
}
