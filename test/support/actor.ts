// Who changes accounts in tests.
import type { Actor } from "../../src/ports/audit.ts";

export const TESTS: Actor = { kind: "service", id: "tests" };
