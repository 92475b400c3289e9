// Runs the store's contract against the embedded store.
import { testStore } from "./contract.ts";
import { openNew } from "./sqlite-files.ts";

testStore(openNew);
