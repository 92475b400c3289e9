// Erases a deleted organization in small pieces until it is killed; prints a line for each piece. It does one piece more than it is told to,
// during which the kill may come, and then only waits.
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { TESTS } from "../support/actor.ts";
import { ACME, createManualClock } from "./fixtures.ts";

const [, , path = "", pieces = "0"] = process.argv;
const store = await openSqliteStore({ location: path, clock: createManualClock(), exclusive: true });
const { organizationId } = ACME;
for (let piece = 0; piece <= Number(pieces); piece++) {
  const { erased, state } = await store.eraseOrganization({
    by: TESTS,
    organizationId,
    batch: 2,
    mayBlockWrites: false,
  });
  console.log(`${state} ${erased}`);
}
// Keeps the process until it is killed.
setInterval(() => {}, 60_000);
