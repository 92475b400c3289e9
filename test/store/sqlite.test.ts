// The embedded store keeps the store's contract.
import { testStore } from "./contract.ts";
import { openNew } from "./sqlite-files.ts";

testStore(openNew);
