// Makes each call of the contract on both engines, one after the other, and compares the results.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AccountError } from "../../src/ports/store/accounts.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { TESTS } from "../support/actor.ts";
import { testStore } from "./contract.ts";
import type { OpenedStore } from "./fixtures.ts";
import { databases } from "./postgres-databases.ts";
import { openNew as openNewSqlite } from "./sqlite-files.ts";

testStore(async (): Promise<OpenedStore> => {
  const sqlite = await openNewSqlite();
  const postgres = await databases.openNew();
  const close = async () => {
    await sqlite.close();
    await postgres.close();
  };
  // Each engine has a clock of its own.
  const clock = { ...sqlite.clock };
  clock.advance = (milliseconds) => {
    sqlite.clock.advance(milliseconds);
    postgres.clock.advance(milliseconds);
  };
  return { store: createBoth(sqlite.store, postgres.store, close), clock, close };
});

test("a result that differs is found", async (t) => {
  const { store, close } = await openNewSqlite();
  t.after(close);
  const both = createBoth(store, { ...store, findOrganization: async () => null, listKeys: rejectAccount }, close);
  assert.equal(await both.findOrganization({ idOrName: "org_a" }), null);
  assert.deepEqual(await both.listOrganizations(), []);
  await store.createOrganization({ by: TESTS, id: "org_a", name: "a", createdAt: 1 });
  await assert.rejects(both.findOrganization({ idOrName: "org_a" }), assert.AssertionError);
  await assert.rejects(both.listKeys({ organizationId: "org_a" }), assert.AssertionError);
});

async function rejectAccount(): Promise<never> {
  throw new AccountError("No.");
}

type Call = (argument: unknown) => Promise<unknown>;

/** A store that makes each call on two stores, asserts that their results are equal, and returns the first. */
function createBoth(first: Store, second: Store, close: () => Promise<void>): Store {
  const threads = new Map<unknown, unknown>();
  // Calls that are made at once are made in the same order on both.
  let last: Promise<unknown> = Promise.resolve();
  const names = Object.keys(first) as (keyof Store)[];
  const calls = names.map((name) => {
    const callBoth = async (argument: unknown): Promise<unknown> => {
      const one = await outcomeOf(first[name] as Call, argument);
      const other = await outcomeOf(second[name] as Call, translate(argument, threads));
      mapThreads(one, other, threads);
      assert.deepEqual(translate(withoutParts(other), new Map()), translate(withoutParts(one), threads), name);
      if ("error" in one) throw one.error;
      return one.result;
    };
    return [
      name,
      (argument: unknown) => {
        const call = last.then(() => callBoth(argument));
        last = call.catch(() => {});
        return call;
      },
    ];
  });
  return { ...(Object.fromEntries(calls) as Store), close };
}

type CallOutcome = { readonly result: unknown } | { readonly error: Error };

async function outcomeOf(call: Call, argument: unknown): Promise<CallOutcome> {
  try {
    return { result: await call(argument) };
  } catch (error) {
    assert.ok(error instanceof Error);
    return { error };
  }
}

/** A result without a number of rows that differs: PostgreSQL divides a sum in parts, a row each. */
function withoutParts(outcome: CallOutcome): CallOutcome {
  const { result } = outcome as { readonly result?: unknown };
  if (!isObject(result) || !("claims" in result && "failures" in result)) return outcome;
  const { failures: _parts, ...others } = result;
  return { result: others };
}

/** Maps the thread ids of one engine to those of the other: each engine numbers its threads itself. */
function mapThreads(one: unknown, other: unknown, threads: Map<unknown, unknown>): void {
  if (!isObject(one) || !isObject(other) || one instanceof Uint8Array) return;
  for (const [key, value] of Object.entries(one)) {
    if (key === "threadId") threads.set(value, other[key]);
    mapThreads(value, other[key], threads);
  }
}

/** Thread ids as the other engine has them, and bytes as their text: one engine reads long content as bytes, the other as text. */
function translate(value: unknown, threads: ReadonlyMap<unknown, unknown>): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map((each) => translate(each, threads));
  if (!isObject(value) || value instanceof Error) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "threadId" ? (threads.get(each) ?? each) : translate(each, threads),
    ]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
