import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type Provider, type ProviderCall, UpstreamError } from "../../ports/provider.ts";
import { rotateKeys } from "./key-rotation.ts";

const NAMES = ["a", "b", "c"];

/** Three keys; those of `failures` fail. */
function rotation() {
  const clock = new FakeClock();
  const seen: string[] = [];
  const failures = new Map<string, Error>();
  const [first, ...others] = NAMES.map((name): Provider => {
    return {
      name: "p",
      reasoningOf: () => null,
      async run() {
        seen.push(name);
        const failure = failures.get(name);
        if (failure !== undefined) throw failure;
      },
      async close() {
        seen.push(`${name} closed`);
      },
    };
  });
  assert.ok(first !== undefined);
  const provider = rotateKeys([first, ...others], clock);
  const send = async (thread: string) => {
    const sent = provider.run({ thread } as ProviderCall, () => {});
    return sent.then(
      () => seen.splice(0),
      () => [...seen.splice(0), "failed"],
    );
  };
  return { clock, seen, failures, provider, send };
}

const failureOf = (status: number | null, more: Partial<ConstructorParameters<typeof UpstreamError>[0]> = {}) =>
  new UpstreamError({
    code: "provider_unavailable",
    message: "",
    provider: "p",
    status,
    certainlyNotRun: false,
    ...more,
  });

test("a history keeps its key, and histories spread over all keys", async () => {
  const { send, provider, seen } = rotation();
  const counts = new Map<string, number>();
  for (let thread = 0; thread < 300; thread++) {
    const [key = ""] = await send(`resp_${thread}`);
    assert.deepEqual(await send(`resp_${thread}`), [key]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const name of NAMES) assert.ok((counts.get(name) ?? 0) > 70, JSON.stringify([...counts]));
  await provider.close();
  assert.deepEqual(seen, ["a closed", "b closed", "c closed"]);
});

test("a key that is rejected, empty or at its limit fails its round and rests; its history has another meanwhile", async () => {
  const limited = { code: "provider_rate_limited" } as const;
  const rows: readonly (readonly [failure: UpstreamError, restSeconds: number])[] = [
    [failureOf(401), 30],
    [failureOf(403), 30],
    [failureOf(400), 30],
    [failureOf(429, limited), 30],
    [failureOf(429, { ...limited, retryAfterSeconds: 90 }), 90],
    [failureOf(200, limited), 30],
    [failureOf(429, { ...limited, retryAfterSeconds: 86_400 }), 3_600],
  ];
  for (const [failure, restSeconds] of rows) {
    const { clock, failures, send } = rotation();
    const [own = ""] = await send("resp_1");
    failures.set(own, failure);
    assert.deepEqual(await send("resp_1"), [own, "failed"]);
    const [other = ""] = await send("resp_1");
    assert.notEqual(other, own);
    failures.clear();
    await clock.advance(restSeconds * 1000 - 1);
    assert.deepEqual(await send("resp_1"), [other]);
    await clock.advance(1);
    assert.deepEqual(await send("resp_1"), [own]);
  }
});

test("a failure of the request, the model or the server rests no key", async () => {
  const failures = [
    failureOf(null, { certainlyNotRun: true }),
    failureOf(404),
    failureOf(503, { certainlyNotRun: true }),
    failureOf(400, { code: "provider_client_error" }),
    failureOf(529, { code: "provider_overloaded" }),
    new Error("a bug"),
  ];
  for (const failure of failures) {
    const { failures: set, send } = rotation();
    const [own = ""] = await send("resp_1");
    set.set(own, failure);
    for (let round = 0; round < 2; round++) assert.deepEqual(await send("resp_1"), [own, "failed"]);
  }
});

test("where all keys rest, a history is sent with its own", async () => {
  const { failures, send } = rotation();
  const [own = ""] = await send("resp_1");
  for (const name of NAMES) failures.set(name, failureOf(401));
  const tried = new Set<string>();
  for (let round = 0; round < 3; round++) tried.add((await send("resp_1"))[0] ?? "");
  assert.equal(tried.size, 3);
  assert.deepEqual(await send("resp_1"), [own, "failed"]);
});
