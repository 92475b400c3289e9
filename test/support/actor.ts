// The actor of account changes in tests.
import type { Actor } from "../../src/ports/store/audit.ts";

export const TESTS: Actor = { kind: "service", id: "tests" };
