// A store whose process runs out of file descriptors while only the writer's thread has started; prints the outcomes.
import { closeSync, openSync } from "node:fs";
import { StoreError } from "../../src/ports/store/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { ACME, addCallers, createManualClock, makeConversation, says } from "./fixtures.ts";
import { walBytes } from "./raw-database.ts";

const path = process.argv[2] ?? "";
const store = await openSqliteStore({ location: path, clock: createManualClock() });
await addCallers(store);
const conversationId = await makeConversation(store);

/** Calls the reader's thread; returns the outcome. */
async function ask(): Promise<string> {
  try {
    const name = { by: "conversation", conversationId, answeredCallIds: [] } as const;
    return (await store.findContinuation({ caller: ACME, name })) === null ? "missing" : "found";
  } catch (error) {
    return error instanceof StoreError ? error.kind : String(error);
  }
}

function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    return taken;
  }
}

async function write(count: number): Promise<void> {
  for (let written = 0; written < count; written++) await makeConversation(store, [says("x".repeat(100_000))]);
}

/** Whether the WAL stops growing however much is written: it starts over only after a complete checkpoint. */
async function staysShort(): Promise<boolean> {
  for (let round = 0; round < 20; round++) {
    const before = walBytes(path);
    await write(80);
    if (walBytes(path) === before) return true;
  }
  return false;
}

const taken = takeAll();
const withoutDescriptors = [await ask(), await ask()];
// More than one checkpoint's worth, so that the first is requested now.
await write(150);
for (const descriptor of taken) closeSync(descriptor);
const afterwards = await ask();
console.log(JSON.stringify({ withoutDescriptors, afterwards, staysShort: await staysShort() }));
await store.close();
