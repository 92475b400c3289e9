// A store whose process runs out of file descriptors while no thread but the writer's has started; says how it fared.
import { closeSync, openSync } from "node:fs";
import { StoreError } from "../../src/ports/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { ACME, addCallers, createHandClock, makeConversation, says } from "./fixtures.ts";
import { journalBytes } from "./look-into.ts";

const path = process.argv[2] ?? "";
const store = await openSqliteStore({ path, clock: createHandClock() });
await addCallers(store);
const conversationId = await makeConversation(store);

/** Asks something of the reader's thread; answers how it went. */
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

/** Whether the journal stops growing, however much is written: it starts over only when it has been copied whole. */
async function staysShort(): Promise<boolean> {
  for (let round = 0; round < 20; round++) {
    const before = journalBytes(path);
    await write(80);
    if (journalBytes(path) === before) return true;
  }
  return false;
}

const taken = takeAll();
const withoutDescriptors = [await ask(), await ask()];
// More than one checkpoint's worth: the first is asked for now.
await write(150);
for (const descriptor of taken) closeSync(descriptor);
const afterwards = await ask();
console.log(JSON.stringify({ withoutDescriptors, afterwards, staysShort: await staysShort() }));
await store.close();
