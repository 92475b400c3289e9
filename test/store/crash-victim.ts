// Runs turns on a store until it is killed; prints what the store has acknowledged.
import { randomUUID } from "node:crypto";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { addCallers, answers, beginOf, createManualClock, endOf, headOf, says, settleOf } from "./fixtures.ts";

const LANES = 8;

const store = await openSqliteStore({ location: process.argv[2] ?? "", clock: createManualClock(), exclusive: true });
if ((await store.findOrganization({ idOrName: "org_acme" })) === null) await addCallers(store);

const hanging = headOf({ id: `resp_${randomUUID()}` });
await store.beginResponse(beginOf(hanging));
console.log(`begun ${hanging.id}`);

async function runLane(): Promise<never> {
  for (;;) {
    const id = `resp_${randomUUID()}` as const;
    await store.beginResponse(beginOf(headOf({ id, turnId: id })));
    console.log(`begun ${id}`);
    const own = (item: ReturnType<typeof answers>) => ({ ...item, id: `msg_${randomUUID()}` });
    const input = says("question");
    await store.settleResponse(
      settleOf(id, [{ ...input, item: own(input.item as never) }], endOf([own(answers("a"))])),
    );
    console.log(`settled ${id}`);
  }
}

await Promise.all(Array.from({ length: LANES }, runLane));
